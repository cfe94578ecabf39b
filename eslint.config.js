import { fileURLToPath } from "node:url";
import { defineConfig, includeIgnoreFile } from "eslint/config";
import { noFirstPage } from "./scripts/lint/no-first-page.js";
import { noHookOfModule } from "./scripts/lint/no-hook-of-module.js";
import { noImportCycle } from "./scripts/lint/no-import-cycle.js";
import { noTwoWayFolders } from "./scripts/lint/no-two-way-folders.js";
import { noUnhandledImport } from "./scripts/lint/no-unhandled-import.js";
import { noVagueNames } from "./scripts/lint/no-vague-names.js";

/** These rules read the text of files, which need not be parsed. All others are rules of oxlint, in .oxlintrc.json. */
const parser = {
  parse: (text) => ({
    type: "Program",
    sourceType: "module",
    body: [],
    comments: [],
    tokens: [],
    range: [0, text.length],
    loc: { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } },
  }),
};

export default defineConfig(
  includeIgnoreFile(fileURLToPath(new URL(".gitignore", import.meta.url))),
  { ignores: ["**/*.js", "**/*.mjs", "**/*.d.json.ts", "**/generated/**"] },
  {
    files: ["**/*.ts"],
    languageOptions: { parser },
    plugins: {
      local: {
        rules: {
          "no-first-page": noFirstPage,
          "no-hook-of-module": noHookOfModule,
          "no-import-cycle": noImportCycle,
          "no-two-way-folders": noTwoWayFolders,
          "no-unhandled-import": noUnhandledImport,
          "no-vague-names": noVagueNames,
        },
      },
    },
    rules: { "local/no-import-cycle": "error", "local/no-two-way-folders": "error" },
  },
  {
    files: ["examples/**/*.ts", "packages/*/src/**/*.ts"],
    ignores: ["**/*.test.ts"],
    rules: { "local/no-first-page": "error" },
  },
  {
    files: ["packages/*/src/**/*.ts"],
    ignores: ["**/*.test.ts"],
    rules: { "local/no-vague-names": "error" },
  },
  {
    files: ["packages/{mock,sdk}/src/**/*.ts"],
    ignores: ["**/*.test.ts"],
    rules: { "local/no-unhandled-import": "error" },
  },
  {
    files: ["**/test/**/*.ts"],
    ignores: [
      "**/*.{test,security,browser,keyring,mcp}.ts",
      // Setup files are evaluated for each test file.
      "test/setup/*.ts",
      "test/store/setup.ts",
    ],
    rules: { "local/no-hook-of-module": "error" },
  },
);
