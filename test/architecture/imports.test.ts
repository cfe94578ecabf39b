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

const forbidden = [
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
    'export type { World } from "../request/world.js";',
  ],
  ["store → values", "packages/engine/src/store/store.ts", 'import "../values/clock.js";'],
  ["store → sdk", "packages/engine/src/store/store.ts", 'import "@mgmt/sdk";'],
  ["request → http", "packages/engine/src/request/route.ts", 'import "../http/http-server.js";'],
  ["request → oauth", "packages/engine/src/request/route.ts", 'import "../oauth/metadata.js";'],
  ["request → control", "packages/engine/src/request/route.ts", 'import "../control/change.js";'],
  ["request → server", "packages/engine/src/request/route.ts", 'import "../server/memory-state.js";'],
  ["request → rules", "packages/engine/src/request/route.ts", 'import "../rules/behaviors.js";'],
  ["oauth → rules", "packages/engine/src/oauth/metadata.ts", 'import "../rules/behaviors.js";'],
  ["control → server", "packages/engine/src/control/change.ts", 'import "../server/memory-server.js";'],
  ["server → http", "packages/engine/src/server/server.ts", 'import "../http/http-server.js";'],
  [
    "rules → control",
    "packages/engine/src/rules/projects/projects.ts",
    'import "../../control/state-control.js";',
  ],
  ["oauth → control", "packages/engine/src/oauth/metadata.ts", 'import "../control/state-control.js";'],
  ["world → server", "packages/engine/src/world/world.ts", 'import "../server/memory-state.js";'],
  ["cluster → platform", "packages/cluster/src/open-databases.ts", 'import "@mgmt/platform";'],
  ["cluster → files", "packages/cluster/src/open-databases.ts", 'import "node:fs/promises";'],
  ["cluster → sdk", "packages/cluster/src/open-databases.ts", 'import "@mgmt/sdk";'],
  [
    "cluster → platform, by path",
    "packages/cluster/src/open-databases.ts",
    'import "../../../packages/platform/src/ports.js";',
  ],
  ["engine → cluster", "packages/engine/src/index.ts", 'import "@mgmt/cluster/open-databases";'],
  ["mock → cluster", "packages/mock/src/index.ts", 'import "@mgmt/cluster/open-databases";'],
  ["cli → cluster", "packages/cli/src/mgmt.ts", 'import "@mgmt/cluster/open-databases";'],
  ["platform → cli", "packages/platform/src/index.ts", 'import "@mgmt/cli";'],
  ["platform → sdk", "packages/platform/src/index.ts", 'import "@mgmt/sdk";'],
  ["platform → mock/server", "packages/platform/src/index.ts", 'import "@mgmt/mock/server";'],
  ["platform → mock", "packages/platform/src/index.ts", 'import "@mgmt/mock";'],
  ["cli → engine", "packages/cli/src/mgmt.ts", 'import "@mgmt/engine";'],
  ["cli → mock", "packages/cli/src/mgmt.ts", 'import "@mgmt/mock";'],
  ["cli → mock/server", "packages/cli/src/mgmt.ts", 'import "@mgmt/mock/server";'],
  ["cli → platform, eagerly", "packages/cli/src/commands/dev/run.ts", 'import "@mgmt/platform";'],
] as const;

const allowed = [
  ["sdk → internal", "packages/sdk/src/index.ts", 'import "@mgmt/internal/files/sync-file";'],
  ["engine → internal", "packages/engine/src/index.ts", 'import "@mgmt/internal/files/sync-file";'],
  ["cluster → engine", "packages/cluster/src/open-databases.ts", 'import "@mgmt/engine";'],
  ["platform → cluster", "packages/platform/src/index.ts", 'import "@mgmt/cluster/policy/own-cluster";'],
  ["platform → engine", "packages/platform/src/index.ts", 'import "@mgmt/engine";'],
  ["mock → engine", "packages/mock/src/index.ts", 'import "@mgmt/engine";'],
  ["cli → sdk", "packages/cli/src/mgmt.ts", 'import "@mgmt/sdk";'],
] as const;

describe("lint rules for dependencies", () => {
  it.each(allowed)("allow an import %s", async (_arrow, file, source) => {
    expect(await findings(file, source)).toEqual([]);
  });

  it.each(forbidden)("reject an import %s", async (_arrow, file, source) => {
    const rules = await findings(file, source);
    // Some of these imports also close a cycle, of files or of folders.
    expect(rules.filter((rule) => !rule.startsWith("local/"))).toEqual([
      "@typescript-eslint/no-restricted-imports",
    ]);
  });

  it("allow a dynamic import cli → platform in `mgmt dev` alone", async () => {
    const source = 'export const load = () => import("@mgmt/platform");';
    expect(await findings("packages/cli/src/mgmt.ts", source)).toEqual(["no-restricted-syntax"]);
    expect(await findings("packages/cli/src/commands/dev/load-platform.ts", source)).toEqual([]);
  });

  it.each([
    ["engine", "packages/engine/src/jobs/job-handler.ts", 'import "./job-runner.js";'],
    [
      "engine, by a type",
      "packages/engine/src/world/world.ts",
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
      "packages/platform/src/data-dir/lock.ts",
      'import "../postgres/log-file.js";',
    ],
    [
      "two folders that import each other, by a type",
      "packages/sdk/src/errors/attempt.ts",
      'export type { Transport } from "../transport/transport.js";',
    ],
    [
      "a folder and the files in no folder",
      "packages/platform/src/tls/der.ts",
      'export * from "../platform.js";',
    ],
    ["an import upward", "packages/sdk/src/request/call.ts", 'import "../resources/projects.js";'],
  ])("reject %s", async (_what, file, source) => {
    const rules = await findings(file, source);
    expect(rules.filter((rule) => rule !== "local/no-import-cycle")).toContain("local/no-two-way-folders");
  });

  it("name a file that imports the other way", async () => {
    const file = "packages/platform/src/data-dir/lock.ts";
    const [result] = await eslint.lintText('import "../postgres/ready.js";', { filePath: file });
    expect(result?.messages.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^data-dir imports postgres, which imports data-dir: packages\/platform\/src\/postgres\/.+\.ts$/,
      ),
    ]);
  });

  it.each(allPackageFolders)("find no two folders of %s that import each other", (name) => {
    expect(twoWayPairs(importsBetweenFolders(join(root, "packages", name)))).toEqual([]);
  });

  it("reject a default export", async () => {
    expect(await findings("packages/sdk/src/index.ts", "export default 1;")).toEqual([
      "no-restricted-syntax",
    ]);
  });
});
