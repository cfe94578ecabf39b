import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract.js";

/** Without the rules that need types: those would read the whole project first. */
const eslint = new ESLint({ cwd: root, overrideConfig: tseslint.configs.disableTypeChecked });

/** Lints `source` as if it stood in the file. */
const findings = async (file: string, source: string): Promise<string[]> => {
  const results = await eslint.lintText(source, { filePath: file });
  return results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId ?? "parse error"));
};

const wrong = [
  ["sdk → mock", "packages/sdk/src/index.ts", 'import "@mgmt/mock";'],
  ["sdk → cli, by path", "packages/sdk/src/index.ts", 'import "../../../packages/cli/src/mgmt.js";'],
  ["mock → sdk", "packages/mock/src/index.ts", 'import "@mgmt/sdk";'],
  ["mock's store → engine", "packages/mock/src/store/store.ts", 'import "../engine/clock.js";'],
  ["mock's store → sdk", "packages/mock/src/store/store.ts", 'import "@mgmt/sdk";'],
  ["mock's engine → its faces", "packages/mock/src/engine/router.ts", 'import "../faces/server.js";'],
  [
    "a behaviour → the control surface",
    "packages/mock/src/behaviours/projects.ts",
    'import "../control/control.js";',
  ],
  ["platform → cli", "packages/platform/src/index.ts", 'import "@mgmt/cli";'],
  ["platform → sdk", "packages/platform/src/index.ts", 'import "@mgmt/sdk";'],
  ["cli → mock", "packages/cli/src/mgmt.ts", 'import "@mgmt/mock";'],
  ["cli → platform, eagerly", "packages/cli/src/commands/run-dev.ts", 'import "@mgmt/platform";'],
] as const;

const right = [
  ["platform → mock", "packages/platform/src/index.ts", 'import "@mgmt/mock";'],
  ["cli → sdk", "packages/cli/src/mgmt.ts", 'import "@mgmt/sdk";'],
] as const;

describe("the linter refuses imports against the arrows", () => {
  it.each(wrong)("%s", async (_arrow, file, source) => {
    expect(await findings(file, source)).toEqual(["@typescript-eslint/no-restricted-imports"]);
  });

  it("cli → platform outside of `mgmt dev`, lazily", async () => {
    const source = 'export const load = () => import("@mgmt/platform");';
    expect(await findings("packages/cli/src/mgmt.ts", source)).toEqual(["no-restricted-syntax"]);
    expect(await findings("packages/cli/src/commands/run-dev.ts", source)).toEqual([]);
  });

  it("a default export", async () => {
    expect(await findings("packages/sdk/src/index.ts", "export default 1;")).toEqual([
      "no-restricted-syntax",
    ]);
  });
});

it.each(right)("the linter lets %s pass", async (_arrow, file, source) => {
  expect(await findings(file, source)).toEqual([]);
});
