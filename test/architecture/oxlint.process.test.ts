import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

/** What it does, a file, and its content. */
type Program = readonly [title: string, file: string, source: string];

const forbidden: readonly Program[] = [
  ["internal → sdk", "packages/internal/src/files/sync-file.ts", 'import "@mgmt/sdk";'],
  ["sdk → mock", "packages/sdk/src/index.ts", 'import "@mgmt/mock";'],
  ["sdk → cli, by path", "packages/sdk/src/index.ts", 'import "../../../packages/cli/src/mgmt.js";'],
  ["sdk → engine", "packages/sdk/src/index.ts", 'import "@mgmt/engine";'],
  [
    "sdk request → resources",
    "packages/sdk/src/request/retry.ts",
    'import "../resources/generated/resources.js";',
  ],
  ["sdk request → auth", "packages/sdk/src/request/retry.ts", 'import "../auth/index.js";'],
  ["mock → sdk", "packages/mock/src/index.ts", 'import "@mgmt/sdk";'],
  ["mock → platform", "packages/mock/src/index.ts", 'import "@mgmt/platform";'],
  ["mock → cli", "packages/mock/src/index.ts", 'import "@mgmt/cli";'],
  ["engine → sdk", "packages/engine/src/index.ts", 'import "@mgmt/sdk";'],
  ["engine → mock", "packages/engine/src/index.ts", 'import "@mgmt/mock";'],
  ["engine → cli", "packages/engine/src/index.ts", 'import "@mgmt/cli";'],
  ["engine → platform", "packages/engine/src/index.ts", 'import "@mgmt/platform";'],
  [
    "store → request",
    "packages/engine/src/store/store.ts",
    'export type { RoutedRequest } from "../request/route.js";',
  ],
  ["store → values", "packages/engine/src/store/store.ts", 'import "../values/clock.js";'],
  ["store → sdk", "packages/engine/src/store/store.ts", 'import "@mgmt/sdk";'],
  ["request → http", "packages/engine/src/request/route.ts", 'import "../http/http-server.js";'],
  ["request → oauth", "packages/engine/src/request/route.ts", 'import "../oauth/metadata.js";'],
  ["request → control", "packages/engine/src/request/route.ts", 'import "../control/change.js";'],
  ["request → server", "packages/engine/src/request/route.ts", 'import "../server/memory-state.js";'],
  ["request → rules", "packages/engine/src/request/route.ts", 'import "../rules/handlers.js";'],
  ["oauth → rules", "packages/engine/src/oauth/metadata.ts", 'import "../rules/handlers.js";'],
  ["control → server", "packages/engine/src/control/change.ts", 'import "../server/memory-server.js";'],
  ["engine → node:fs", "packages/engine/src/values/digest.ts", 'export * from "node:fs/promises";'],
  ["request → node:crypto", "packages/engine/src/request/route.ts", 'import "node:crypto";'],
  ["server → http", "packages/engine/src/server/server.ts", 'import "../http/http-server.js";'],
  [
    "rules → control",
    "packages/engine/src/rules/projects/projects.ts",
    'import "../../control/state-control.js";',
  ],
  ["oauth → control", "packages/engine/src/oauth/metadata.ts", 'import "../control/state-control.js";'],
  ["context → server", "packages/engine/src/context/rule-context.ts", 'import "../server/memory-state.js";'],
  ["cluster → platform", "packages/cluster/src/open-databases.ts", 'import "@mgmt/platform";'],
  ["cluster → files", "packages/cluster/src/open-databases.ts", 'import "node:fs/promises";'],
  ["cluster → sdk", "packages/cluster/src/open-databases.ts", 'import "@mgmt/sdk";'],
  [
    "cluster → platform, by path",
    "packages/cluster/src/open-databases.ts",
    'import "../../../packages/platform/src/machine/ports.js";',
  ],
  ["engine → cluster", "packages/engine/src/index.ts", 'import "@mgmt/cluster/open-databases";'],
  ["mock → cluster", "packages/mock/src/index.ts", 'import "@mgmt/cluster/open-databases";'],
  ["cli → cluster", "packages/cli/src/mgmt.ts", 'import "@mgmt/cluster/open-databases";'],
  ["platform → cli", "packages/platform/src/index.ts", 'import "@mgmt/cli";'],
  ["platform → sdk", "packages/platform/src/index.ts", 'import "@mgmt/sdk";'],
  ["platform → mock/server", "packages/platform/src/index.ts", 'import "@mgmt/mock/server";'],
  ["platform → mock", "packages/platform/src/index.ts", 'import "@mgmt/mock";'],
  ["cli → engine", "packages/cli/src/mgmt.ts", 'import "@mgmt/engine";'],
  ["cli → engine/http", "packages/cli/src/mgmt.ts", 'import "@mgmt/engine/http";'],
  ["cli → mock", "packages/cli/src/mgmt.ts", 'import "@mgmt/mock";'],
  ["cli → mock/server", "packages/cli/src/mgmt.ts", 'import "@mgmt/mock/server";'],
  ["cli → platform, eagerly", "packages/cli/src/commands/dev/run-dev.ts", 'import "@mgmt/platform";'],
  [
    "cli → platform, by `import()`",
    "packages/cli/src/mgmt.ts",
    'export const load = () => import("@mgmt/platform");',
  ],
  [
    "mgmt status → mgmt preview",
    "packages/cli/src/commands/status/run-status.ts",
    'import "../preview/up.js";',
  ],
  [
    "mgmt status → mgmt preview, of types",
    "packages/cli/src/commands/status/run-status.ts",
    'export type { UpOptions } from "../preview/run-up.js";',
  ],
  [
    "mgmt status → mgmt preview, by `import()`",
    "packages/cli/src/commands/status/run-status.ts",
    'export const load = () => import("../../commands/preview/up.js");',
  ],
  [
    "mgmt schema → all commands",
    "packages/cli/src/commands/schema/run-schema.ts",
    'import "../generated/command-tree.js";',
  ],
];

const allowed: readonly Program[] = [
  ["sdk → internal", "packages/sdk/src/index.ts", 'import "@mgmt/internal/files/sync-file";'],
  ["engine http → node:http", "packages/engine/src/http/http-server.ts", 'import "node:http";'],
  ["engine → internal", "packages/engine/src/index.ts", 'import "@mgmt/internal/files/sync-file";'],
  ["cluster → engine", "packages/cluster/src/open-databases.ts", 'import "@mgmt/engine";'],
  ["cluster → engine/internal", "packages/cluster/src/open-databases.ts", 'import "@mgmt/engine/internal";'],
  ["platform → cluster", "packages/platform/src/index.ts", 'import "@mgmt/cluster/policy/own-cluster";'],
  ["platform → engine", "packages/platform/src/index.ts", 'import "@mgmt/engine";'],
  ["mock → engine", "packages/mock/src/index.ts", 'import "@mgmt/engine";'],
  ["cli → sdk", "packages/cli/src/mgmt.ts", 'import "@mgmt/sdk";'],
  ["cli → platform, of types", "packages/cli/src/mgmt.ts", 'export type * from "@mgmt/platform";'],
  [
    "mgmt status → previews",
    "packages/cli/src/commands/status/run-status.ts",
    'import "../../preview/preview.js";',
  ],
  [
    "mgmt whoami → an operation",
    "packages/cli/src/commands/whoami/whoami.ts",
    'export const load = () => import("../../contract/generated/commands/me.js");',
  ],
  ["cli → a command", "packages/cli/src/commands/program.ts", 'import "./generated/command-tree.js";'],
];

/** Each breaks the rule that is its title. */
const broken: readonly Program[] = [
  ["eslint(eqeqeq)", "scripts/program.ts", "export const isOne = (value: number) => value == 1;"],
  ["eslint(no-unused-vars)", "scripts/program.ts", "const one = 1;\nexport const two = 2;"],
  ["import(no-default-export)", "scripts/program.ts", "export default 1;"],
  ["typescript(no-explicit-any)", "scripts/program.ts", "export const same = (value: any) => value;"],
  ["typescript(no-floating-promises)", "scripts/program.ts", "Promise.resolve(1);"],
  ["typescript(no-misused-promises)", "scripts/program.ts", "export const one = Promise.resolve(1) ? 1 : 2;"],
  [
    "typescript(no-non-null-assertion)",
    "scripts/program.ts",
    "export const lengthOf = (value?: string) => value!.length;",
  ],
  [
    "typescript(no-unnecessary-type-assertion)",
    "scripts/program.ts",
    "const one: number = 1;\nexport const same = one as number;",
  ],
  ["typescript(only-throw-error)", "scripts/program.ts", 'export const fail = () => {\n  throw "no";\n};'],
  [
    "typescript(switch-exhaustiveness-check)",
    "scripts/program.ts",
    'export const read = (kind: "one" | "two") => {\n  switch (kind) {\n    case "one":\n      return 1;\n  }\n};',
  ],
];

const clean: Program = [
  "awaited promises, errors that are thrown, and switches with a case for each member",
  "scripts/program.ts",
  `
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
`,
];

const programs = [...forbidden, ...allowed, ...broken, clean];

/** Where a program is in the folder. Each has a file of its own, beside the others of its folder. */
const pathOf = (program: Program): string => `${dirname(program[1])}/program-${programs.indexOf(program)}.ts`;

/** The rules that the programs break. */
const findings = new Map<string, string[]>();

/** What oxlint says to do about the last one of each program. */
const advice = new Map<string, string>();

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-oxlint-"));
  copyFileSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true } }));
  for (const program of programs) {
    const file = join(folder, pathOf(program));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, program[2]);
  }
  const line = [join(root, "node_modules/oxlint/bin/oxlint"), "--type-aware", "--format", "json"];
  // Where oxlint finds the type checker.
  const PATH = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const options = { cwd: folder, env: { ...process.env, PATH } };
  const failed: { stdout?: string } = await promisify(execFile)(process.execPath, line, options).catch(
    (error: { stdout?: string }) => error,
  );
  // Printed by oxlint.
  const { diagnostics } = JSON.parse(failed.stdout ?? "") as {
    diagnostics: { filename: string; code: string; help?: string }[];
  };
  for (const { filename, code, help } of diagnostics) {
    findings.set(filename, [...(findings.get(filename) ?? []), code]);
    if (help !== undefined) advice.set(filename, help);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const titled = (list: readonly Program[]) => list.map((program) => ({ title: program[0], program }));

const rulesOf = (program: Program): string[] => findings.get(pathOf(program)) ?? [];

it.each(titled(allowed))("allows an import $title", ({ program }) => {
  expect(rulesOf(program)).toEqual([]);
});

it.each(titled(forbidden))("refuses an import $title", ({ program }) => {
  expect(rulesOf(program)).toEqual(["eslint(no-restricted-imports)"]);
});

it("says where the parts go that commands share", () => {
  const program = forbidden.find(([title]) => title === "mgmt status → mgmt preview");
  expect(program && advice.get(pathOf(program))).toBe(
    "Commands do not import each other. What two of them share goes into a folder beside `commands` that is named for its subject.",
  );
});

it.each(titled(broken))("refuses what breaks $title", ({ title, program }) => {
  expect(rulesOf(program)).toEqual([title]);
});

it("accepts awaited promises, errors that are thrown, and switches with a case for each member", () => {
  expect(rulesOf(clean)).toEqual([]);
});
