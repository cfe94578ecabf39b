import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

/** A folder, what a file in it imports, and the rule of `.oxlintrc.json` that refuses it, if one does. */
type Row = readonly [folder: string, statement: string, rule?: string];

const refused = (folder: string, ...modules: string[]): Row[] =>
  modules.map((name) => [folder, `import "${name}";`, "eslint(no-restricted-imports)"]);
const allowed = (folder: string, ...modules: string[]): Row[] =>
  modules.map((name) => [folder, `import "${name}";`]);

const preview = "../preview/up.js";
const rows: readonly Row[] = [
  ...refused("packages/internal/src/files", "@mgmt/sdk"),
  ...refused("packages/sdk/src", "@mgmt/engine", "../../../packages/cli/src/mgmt.js"),
  ...allowed("packages/sdk/src", "@mgmt/internal/files/sync-file"),
  ...refused("packages/sdk/src/request", "@mgmt/mock", "../resources/generated/resources.js"),
  ...refused("packages/engine/src", "@mgmt/sdk", "@mgmt/cluster/open-databases"),
  ...refused("packages/engine/src/values", "node:fs/promises"),
  ...refused("packages/engine/src/store", "@mgmt/sdk", "../request/route.js"),
  ...refused("packages/engine/src/request", "@mgmt/sdk", "node:crypto", "../rules/handlers.js"),
  ...refused("packages/engine/src/context", "../server/memory-state.js"),
  ...refused("packages/engine/src/rules/projects", "@mgmt/sdk", "../../control/state-control.js"),
  ...refused("packages/engine/src/oauth", "@mgmt/sdk", "../rules/handlers.js"),
  ...refused("packages/engine/src/control", "@mgmt/sdk", "../server/memory-server.js"),
  ...refused("packages/engine/src/server", "@mgmt/sdk", "../http/http-server.js"),
  ...refused("packages/engine/src/http", "@mgmt/sdk"),
  ...allowed("packages/engine/src/http", "node:http"),
  ...refused("packages/mock/src", "@mgmt/sdk", "@mgmt/platform", "@mgmt/cluster/open-databases"),
  ...allowed("packages/mock/src", "@mgmt/engine"),
  ...refused("packages/cluster/src", "@mgmt/platform", "@mgmt/sdk", "node:fs/promises"),
  ...allowed("packages/cluster/src", "@mgmt/engine/internal"),
  ...refused("packages/platform/src", "@mgmt/cli", "@mgmt/sdk", "@mgmt/mock/server"),
  ...allowed("packages/platform/src", "@mgmt/cluster/policy/dedicated-cluster", "@mgmt/engine"),
  ...refused("packages/cli/src", "@mgmt/engine", "@mgmt/engine/http", "@mgmt/mock", "@mgmt/platform"),
  ...allowed("packages/cli/src", "@mgmt/sdk"),
  ["packages/cli/src", 'export type * from "@mgmt/platform";'],
  ...refused("packages/cli/src/commands/status", "@mgmt/engine", "@mgmt/platform", preview),
  ...allowed("packages/cli/src/commands/status", "../../preview/preview.js"),
  [
    "packages/cli/src/commands/status",
    `export type { Options } from "${preview}";`,
    "eslint(no-restricted-imports)",
  ],
  [
    "packages/cli/src/commands/status",
    `export const load = () => import("${preview}");`,
    "eslint(no-restricted-imports)",
  ],
  // Needs the type checker.
  ["scripts", "Promise.resolve(1);", "typescript(no-floating-promises)"],
];

const fileOf = (row: Row): string => `${row[0]}/program-${String(rows.indexOf(row))}.ts`;

/** The rules that each file breaks. */
const findings = new Map<string, string[]>();

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-layers-"));
  copyFileSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true } }));
  for (const row of rows) {
    const file = join(folder, fileOf(row));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, row[1]);
  }
  const words = [join(root, "node_modules/oxlint/bin/oxlint"), "--type-aware", "--format", "json"];
  // Where oxlint finds the type checker.
  const PATH = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const options = { cwd: folder, env: { ...process.env, PATH } };
  const failure: { stdout?: string } = await promisify(execFile)(process.execPath, words, options).catch(
    (error: { stdout?: string }) => error,
  );
  const { diagnostics }: { diagnostics: { filename: string; code: string }[] } = JSON.parse(
    failure.stdout ?? "",
  );
  for (const { filename, code } of diagnostics)
    findings.set(filename, [...(findings.get(filename) ?? []), code]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(rows.map((row) => ({ folder: row[0], statement: row[1], rule: row[2], row })))(
  "$folder: $statement",
  ({ rule, row }) => {
    expect(findings.get(fileOf(row)) ?? []).toEqual(rule === undefined ? [] : [rule]);
  },
);
