import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-typed-rules-"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true } }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the rules that a program breaks. */
const findings = async (source: string): Promise<string[]> => {
  writeFileSync(join(folder, "program.ts"), source);
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const line = [oxlint, "--type-aware", "--config", join(root, ".oxlintrc.json"), "--format", "json"];
  // Where oxlint finds the type checker.
  const PATH = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const options = { cwd: folder, env: { ...process.env, PATH } };
  const printed = await promisify(execFile)(process.execPath, line, options).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? "",
  );
  // Printed by oxlint.
  const { diagnostics } = JSON.parse(printed) as { diagnostics: { code: string }[] };
  return diagnostics.map(({ code }) => code);
};

it("accepts awaited promises, errors that are thrown, and switches with a case for each member", async () => {
  const source = `
export const wait = async (kind: "one" | "two"): Promise<void> => {
  await Promise.resolve();
  [1].forEach(async () => Promise.resolve());
  switch (kind) {
    case "one":
      return;
    case "two":
      throw new Error("no");
  }
};
`;
  expect(await findings(source)).toEqual([]);
});

it.each([
  ["no-floating-promises", "Promise.resolve(1);"],
  ["no-misused-promises", "export const one = Promise.resolve(1) ? 1 : 2;"],
  ["no-unnecessary-type-assertion", "const one: number = 1;\nexport const same = one as number;"],
  ["only-throw-error", 'export const fail = () => {\n  throw "no";\n};'],
  [
    "switch-exhaustiveness-check",
    'export const read = (kind: "one" | "two") => {\n  switch (kind) {\n    case "one":\n      return 1;\n  }\n};',
  ],
])("refuses what breaks %s", async (rule, source) => {
  expect(await findings(source)).toEqual([`typescript(${rule})`]);
});
