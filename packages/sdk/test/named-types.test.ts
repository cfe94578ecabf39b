import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import openapiTS, { type OpenAPI3, astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type OpenApiDocument,
  loadContract,
  readContract,
} from "../../../scripts/generate/contract/contract.js";
import { generateTypes } from "../../../scripts/generate/sdk/types.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-named-types-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What only the named types express: the forms of a body or a query, and texts that may have other values than the known ones. */
const ours = new Set(["not", "if", "else", "x-not-with", "x-extensible"]);

/** Names the schemas, and the queries, whose types differ. */
const comparison = `
import type { components, operations } from "./schema.js";
import type { Queries, Schemas } from "./types.js";

type Shape<T> = T extends object ? { [K in keyof T]: Shape<T[K]> } : T;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Differing<A, B extends Record<keyof A, unknown>> =
  | { [K in keyof A]: Same<Shape<A[K]>, Shape<B[K]>> extends true ? never : K }[keyof A]
  | Exclude<keyof B, keyof A>;
type Asked = { [K in keyof Queries]: NonNullable<operations[K]["parameters"]["query"]> };

export const schemas: Record<Differing<Schemas, components["schemas"]>, true> = {};
export const queries: Record<Differing<Queries, Asked>, true> = {};
`;

const options = {
  ...{ strict: true, noEmit: true, types: [], lib: ["lib.es2022.d.ts"] },
  // The declarations of the language are not ours to check.
  skipDefaultLibCheck: true,
};

const differences = (types: string): string[] => {
  writeFileSync(join(folder, "types.ts"), types);
  const program = ts.createProgram([join(folder, "comparison.ts")], options);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
};

it("equal the types that openapi-typescript writes", async () => {
  const { document } = await loadContract();
  const plain: OpenApiDocument = JSON.parse(
    JSON.stringify(document, (key, value: unknown) => (ours.has(key) ? undefined : value)),
  );
  // The library has its own type for documents.
  const nodes = await openapiTS(plain as unknown as OpenAPI3, { defaultNonNullable: false, silent: true });
  writeFileSync(join(folder, "schema.ts"), astToString(nodes));
  writeFileSync(join(folder, "comparison.ts"), comparison);
  const types = generateTypes(readContract(plain));
  expect(differences(types)).toEqual([]);
  const edited = differences(types.replace("hasMore: boolean;", "hasMore?: boolean;"));
  expect(edited).toEqual([expect.stringMatching(/missing the following properties.*Pagination/s)]);
});
