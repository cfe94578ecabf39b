import openapiTS, { type OpenAPI3, astToString } from "openapi-typescript";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type Contract,
  type JsonSchema,
  type OpenApiDocument,
  loadContract,
} from "../../scripts/generate/contract/contract.js";
import { publishedDocument } from "../../scripts/generate/contract/published-document.js";
import { idPatterns } from "../../packages/engine/src/generated/ids.js";

let contract: Contract;
let published: OpenApiDocument;

beforeAll(async () => {
  contract = await loadContract();
  published = publishedDocument(contract);
});

const schemaOf = (name: string): JsonSchema => {
  const schema = published.components.schemas[name];
  if (!schema) throw new Error(`no schema ${name}`);
  return schema;
};

describe("the published document", () => {
  it("has no default in a body, because openapi-typescript would require the field", async () => {
    // The library modifies its input, and has its own type for documents.
    const copy = structuredClone(published) as unknown as OpenAPI3;
    const types = astToString(await openapiTS(copy, { silent: true }));
    expect(types).toContain("createDatabase?: boolean;");
    expect(types).toContain("isDefault?: boolean;");
    expect(types).toContain("skipCodeUpload?: boolean;");
    expect(JSON.stringify(published.components.schemas)).not.toContain('"default":');
  });

  it("says every default of a body in words, and as x-default for programs", () => {
    expect(schemaOf("CreateProject").properties?.["createDatabase"]).toMatchObject({
      description: "Whether to create a default database. Default: `true`.",
      "x-default": true,
    });
    expect(schemaOf("DatabaseRegion")["x-default"]).toBe("us-east-1");
    const defaults = (text: string, key: string): number => text.split(`"${key}":`).length - 1;
    const before = JSON.stringify(contract.document.components.schemas);
    const after = JSON.stringify(published.components.schemas);
    expect(defaults(after, "x-default")).toBe(defaults(before, "default"));
    expect(defaults(before, "default")).toBeGreaterThan(4);
  });

  it("has patterns of ids that allow no character that must be escaped in a path", () => {
    const ids = Object.entries(published.components.schemas).filter(([, schema]) => schema["x-id-prefix"]);
    expect(ids.map(([name]) => name)).toContain("ProjectId");
    for (const [name, { pattern = "" }] of ids) {
      const prefix = schemaOf(name)["x-id-prefix"] ?? "";
      const accepts = (id: string): boolean => new RegExp(pattern, "u").test(id);
      expect({
        name,
        accepted: [`${prefix}3f8k2m9q`, "3f8k2m9q", "cm3f8K2m.9q", `${prefix}C_3f8k~2m9q`].map(accepts),
      }).toEqual({ name, accepted: [true, true, true, true] });
      const escaped = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code)).filter(
        (character) => accepts(`c12345678${character}`) && encodeURIComponent(character) !== character,
      );
      expect({ name, escaped }).toEqual({ name, escaped: [] });
    }
  });

  it("accepts only ids that the server accepts, which still looks for ids with other characters", () => {
    for (const { "x-id-kind": kind, pattern = "" } of Object.values(published.components.schemas)) {
      if (kind === undefined) continue;
      const server: RegExp = Reflect.get(idPatterns, kind);
      for (const id of ["c12345678", "C1234.6~8_9", "abc", "c1234567", "c1234-678", "c123 5678", "ABC", ""]) {
        if (new RegExp(pattern, "u").test(id)) expect(server.test(id), `${kind} ${id}`).toBe(true);
      }
      expect(server.test("c1234/678#?")).toBe(true);
    }
  });

  it("has an empty cursor as the default, which is the first page, because tools fill in every parameter", () => {
    const { Cursor } = contract.document.components.parameters;
    const expected = { ...Cursor, schema: { ...Cursor?.schema, default: "" } };
    expect(published.components.parameters["Cursor"]).toEqual(expected);
  });

  it("declares the fields that conditions require", () => {
    expect(schemaOf("PromoteApp")).toMatchObject({
      if: { required: ["versionId"], properties: { versionId: {} } },
      else: { required: ["deploymentId"], properties: { deploymentId: {} } },
    });
    const [branches] = schemaOf("CreateApp").not?.anyOf ?? [];
    const types = { branchId: { type: "string" }, branchGitName: { type: "string" } };
    expect(branches).toEqual({ required: ["branchId", "branchGitName"], properties: types });
  });

  it("has no other differences from the contract", () => {
    const withoutSchemas = (document: OpenApiDocument) => {
      const { schemas, parameters, ...components } = document.components;
      const { Cursor: _, ...others } = parameters;
      return { ...document, components: { ...components, parameters: others, names: Object.keys(schemas) } };
    };
    expect(withoutSchemas(published)).toEqual(withoutSchemas(contract.document));
    const ignored = new Set(["default", "x-default", "description", "pattern"]);
    const bare = (schemas: unknown): unknown =>
      JSON.parse(
        JSON.stringify(schemas, (key, value: unknown) => {
          if (ignored.has(key) && typeof value !== "object") return undefined;
          // Declarations without a schema, which conditions have.
          return JSON.stringify(value) === "{}" ? undefined : value;
        }).replaceAll(',"properties":{}', ""),
      );
    expect(bare(published.components.schemas)).toEqual(bare(contract.document.components.schemas));
  });
});
