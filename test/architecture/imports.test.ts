import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract.js";

/** Type-aware rules are off, because they would load the whole project first. */
const eslint = new ESLint({ cwd: root, overrideConfig: tseslint.configs.disableTypeChecked });

/** Lints `source` as the content of the file; returns the rules that it breaks. */
const findings = async (file: string, source: string): Promise<string[]> => {
  const results = await eslint.lintText(source, { filePath: file });
  return results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId ?? "parse error"));
};

const forbidden = [
  ["sdk → mock", "packages/sdk/src/index.ts", 'import "@mgmt/mock";'],
  ["sdk → cli, by path", "packages/sdk/src/index.ts", 'import "../../../packages/cli/src/mgmt.js";'],
  ["sdk → engine", "packages/sdk/src/index.ts", 'import "@mgmt/engine";'],
  ["sdk request → resources", "packages/sdk/src/request/retry.ts", 'import "../generated/resources.js";'],
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
  ["store → time", "packages/engine/src/store/store.ts", 'import "../time/clock.js";'],
  ["store → sdk", "packages/engine/src/store/store.ts", 'import "@mgmt/sdk";'],
  ["request → http", "packages/engine/src/request/route.ts", 'import "../http/http-server.js";'],
  ["request → oauth", "packages/engine/src/request/route.ts", 'import "../oauth/metadata.js";'],
  ["request → control", "packages/engine/src/request/route.ts", 'import "../control/routes.js";'],
  ["request → composition", "packages/engine/src/request/route.ts", 'import "../composition/live-world.js";'],
  ["request → rules", "packages/engine/src/request/route.ts", 'import "../rules/behaviors.js";'],
  ["oauth → rules", "packages/engine/src/oauth/metadata.ts", 'import "../rules/behaviors.js";'],
  [
    "control → composition",
    "packages/engine/src/control/routes.ts",
    'import "../composition/reference-engine.js";',
  ],
  ["composition → http", "packages/engine/src/composition/populate.ts", 'import "../http/http-server.js";'],
  [
    "rules → control",
    "packages/engine/src/rules/projects/projects.ts",
    'import "../../control/state-control.js";',
  ],
  ["oauth → control", "packages/engine/src/oauth/metadata.ts", 'import "../control/state-control.js";'],
  ["time → composition", "packages/engine/src/time/clock.ts", 'import "../composition/live-world.js";'],
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
    // Some of these imports also close a cycle.
    expect(rules.filter((rule) => rule !== "local/no-import-cycle")).toEqual([
      "@typescript-eslint/no-restricted-imports",
    ]);
  });

  it("allow a dynamic import cli → platform in `mgmt dev` alone", async () => {
    const source = 'export const load = () => import("@mgmt/platform");';
    expect(await findings("packages/cli/src/mgmt.ts", source)).toEqual(["no-restricted-syntax"]);
    expect(await findings("packages/cli/src/commands/dev/load-platform.ts", source)).toEqual([]);
  });

  it.each([
    ["engine", "packages/engine/src/time/scheduler.ts", 'import "./job-queue.js";'],
    ["engine, by a type", "packages/engine/src/time/clock.ts", 'export type { Job } from "./scheduler.js";'],
    ["cli, by `import()`", "packages/cli/src/main.ts", 'export const load = () => import("./mgmt.js");'],
    ["sdk, by a re-export", "packages/sdk/src/request/send.ts", 'export * from "./round-trip.js";'],
    ["scripts", "scripts/generate/contract.ts", 'import "./index.js";'],
    ["tests", "test/docs/markdown.ts", 'import "./markdown.js";'],
  ])("reject an import cycle: %s", async (_package, file, source) => {
    expect(await findings(file, source)).toEqual(["local/no-import-cycle"]);
  });

  it("name the files of an import cycle", async () => {
    const file = "packages/engine/src/time/scheduler.ts";
    const [result] = await eslint.lintText('import "./job-queue.js";', { filePath: file });
    expect(result?.messages.map(({ message }) => message)).toEqual([
      `Import cycle: ${file} → packages/engine/src/time/job-queue.ts → ${file}`,
    ]);
  });

  it("reject a default export", async () => {
    expect(await findings("packages/sdk/src/index.ts", "export default 1;")).toEqual([
      "no-restricted-syntax",
    ]);
  });
});
