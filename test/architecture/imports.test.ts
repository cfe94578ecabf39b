import { join } from "node:path";
import { ESLint } from "eslint";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { importsBetweenFolders, twoWayPairs } from "../../scripts/lint/folder-imports.js";
import { allPackageFolders } from "../../scripts/packages.mjs";

const eslint = new ESLint({ cwd: root });

const jobHandler = "packages/engine/src/jobs/job-handler.ts";
const client = "packages/sdk/src/client.ts";

/** What a rule of this repository says about a file with other content, if anything. */
const rows: readonly (readonly [rule: string, file: string, source: string, message?: RegExp])[] = [
  ["no-import-cycle", jobHandler, 'import "./job-runner.js";', /job-handler.ts → .*job-runner.ts → .*job-h/],
  [
    "no-import-cycle",
    "packages/engine/src/context/operation-context.ts",
    'export type { Transactions } from "./transactions.js";',
    /cycle/,
  ],
  ["no-import-cycle", "packages/cli/src/main.ts", 'export const load = () => import("./mgmt.js");', /cycle/],
  [
    "no-import-cycle",
    "packages/sdk/src/checks/similar-option.ts",
    'export { assertCall } from "#type-checks";',
    /cycle/,
  ],
  ["no-import-cycle", "test/docs/markdown.ts", 'import "../../scripts/packages.mjs";'],
  [
    "no-two-way-folders",
    "packages/platform/src/machine/data-dir/directory-lock.ts",
    'import "../../start/ready.js";',
    /^machine imports start, which imports machine: packages\/platform\/src\/start\/.+\.ts$/,
  ],
  ["no-two-way-folders", "packages/sdk/src/request/call.ts", 'import "../resources/projects.js";', /request/],
  ["no-unhandled-import", client, 'const { a } = await import("./a.js");', /./],
  ["no-unhandled-import", client, 'const { a } = await import("./a.js").catch(fail);'],
  ["no-hook-of-module", "packages/cli/test/run.ts", "afterEach(() => undefined);", /./],
  ["no-hook-of-module", "packages/cli/test/run.test.ts", "afterEach(() => undefined);"],
  ["no-first-page", client, "const { data } = await client.databases.backups.list(id);"],
  ["no-first-page", "packages/cli/src/main.ts", "const { data } = await client.projects.list();", /./],
  ["no-vague-names", client, "const found = projects.at(0);", /./],
  ["no-vague-names", client, "const isFound = query.found;"],
];

it.for(rows)("%s, in %s: %s", async ([rule, file, source, message]) => {
  const [result] = await eslint.lintText(source, { filePath: join(root, file) });
  const messages = result?.messages.filter(({ ruleId }) => ruleId === `local/${rule}`) ?? [];
  expect(messages.map((result) => result.message)).toEqual(message ? [expect.stringMatching(message)] : []);
});

it.each(allPackageFolders)("no two folders of %s import each other", (name) => {
  expect(twoWayPairs(importsBetweenFolders(join(root, "packages", name)))).toEqual([]);
});
