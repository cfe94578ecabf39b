import { join } from "node:path";
import { ESLint } from "eslint";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { importsBetweenFolders, twoWayPairs } from "../../scripts/lint/folder-imports.js";
import { allPackageFolders } from "../../scripts/packages.mjs";

const eslint = new ESLint({ cwd: root });

/** Lints `source` as the content of the file; returns the rules that it breaks. */
const findings = async (file: string, source: string): Promise<string[]> => {
  const results = await eslint.lintText(source, { filePath: file });
  return results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId ?? "parse error"));
};

describe("own lint rules", () => {
  it.each([
    ["engine", "packages/engine/src/jobs/job-handler.ts", 'import "./job-runner.js";'],
    [
      "engine, by a type",
      "packages/engine/src/context/rule-context.ts",
      'export type { Transactions } from "./transactions.js";',
    ],
    ["cli, by `import()`", "packages/cli/src/main.ts", 'export const load = () => import("./mgmt.js");'],
    ["sdk, by a re-export", "packages/sdk/src/request/send.ts", 'export * from "./round-trip.js";'],
    [
      "sdk, by a conditional import",
      "packages/sdk/src/checks/similar-option.ts",
      'export { assertCall } from "#type-checks";',
    ],
    ["scripts", "scripts/generate/contract/contract.ts", 'import "../index.js";'],
    ["tests", "test/docs/markdown.ts", 'import "./markdown.js";'],
  ])("reject an import cycle: %s", async (_package, file, source) => {
    expect(await findings(file, source)).toEqual(["local/no-import-cycle"]);
  });

  it("name the files of an import cycle", async () => {
    const file = "packages/engine/src/jobs/job-handler.ts";
    const [result] = await eslint.lintText('import "./job-runner.js";', { filePath: file });
    expect(result?.messages.map(({ message }) => message)).toEqual([
      `Import cycle: ${file} → packages/engine/src/jobs/job-runner.ts → ${file}`,
    ]);
  });

  it.each([
    [
      "two folders that import each other",
      "packages/platform/src/machine/data-dir/directory-lock.ts",
      'import "../../start/ready.js";',
    ],
    [
      "two folders that import each other, by a type",
      "packages/sdk/src/errors/attempt.ts",
      'export type { Transport } from "../transport/transport.js";',
    ],
    [
      "a folder and the files in no folder",
      "packages/platform/src/start/ready.ts",
      'export * from "../index.js";',
    ],
    ["an import upward", "packages/sdk/src/request/call.ts", 'import "../resources/projects.js";'],
  ])("reject %s", async (_what, file, source) => {
    const rules = await findings(file, source);
    expect(rules.filter((rule) => rule !== "local/no-import-cycle")).toContain("local/no-two-way-folders");
  });

  it("name a file that imports the other way", async () => {
    const file = "packages/platform/src/machine/data-dir/directory-lock.ts";
    const [result] = await eslint.lintText('import "../../start/ready.js";', { filePath: file });
    expect(result?.messages.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^machine imports start, which imports machine: packages\/platform\/src\/start\/.+\.ts$/,
      ),
    ]);
  });

  it.each(allPackageFolders)("find no two folders of %s that import each other", (name) => {
    expect(twoWayPairs(importsBetweenFolders(join(root, "packages", name)))).toEqual([]);
  });

  it("reject a hook outside functions in a module that test files share", async () => {
    const hook = "afterEach(() => undefined);";
    expect(await findings("packages/cli/test/run.ts", hook)).toEqual(["local/no-hook-of-module"]);
    expect(await findings("packages/cli/test/run.ts", `const add = () => {\n  ${hook}\n};\n`)).toEqual([]);
    expect(await findings("packages/cli/test/run.test.ts", hook)).toEqual([]);
  });

  it.each([
    ['const { a } = await import("./a.js");', ["local/no-unhandled-import"]],
    ['void import("./a.js").then(({ a }) => a());', ["local/no-unhandled-import"]],
    ['const { a } = await import("#a");', ["local/no-unhandled-import"]],
    ['const { a } = await import("./a.js").catch(fail);', []],
    ['const { a } = await import("node:https");', []],
  ])("reject an import() whose failure is not handled: %s", async (code, rules) => {
    expect(await findings("packages/sdk/src/client.ts", code)).toEqual(rules);
  });

  it.each([
    ["const { data } = await client.projects.list();", ["local/no-first-page"]],
    ["const { data: all } = await client.projects.databases.list(id, {}, {});", ["local/no-first-page"]],
    ["const [first] = (await client.projects.list({}, { signal })).data;", ["local/no-first-page"]],
    ["const all = await client.projects.list().toArray();", []],
    ["const { data } = await client.databases.backups.list(id);", []],
  ])("reject the first page of a list as if it were all: %s", async (code, rules) => {
    expect(await findings("packages/cli/src/commands/init/run-init.ts", code)).toEqual(rules);
  });

  it.each([
    ["const found = projects.at(0);", 1],
    ["for (const each of projects) use(each);", 1],
    ["const { name: given, taken = 1 } = project;", 2],
    ["export const use = (shown: string, ...[kept]: string[]) => shown + kept;", 2],
    ["interface Result { readonly printed: string }", 1],
    ["class Result { asked() {} }", 1],
    ["const isFound = query.found; // each of the found ones", 0],
    ['const text = "found"; client.query(`select taken`);', 0],
  ])("reject a name that tells what happened to a value: %s", async (code, count) => {
    const rules = await findings("packages/sdk/src/client.ts", code);
    expect(rules).toEqual(Array.from({ length: count }, () => "local/no-vague-names"));
  });
});
