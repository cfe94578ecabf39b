import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { answersFile } from "./scripts/answers-file.js";

const source = (path: string) => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@mgmt\/sdk\/openapi\.json$/, replacement: source("sdk/openapi.json") },
      { find: /^@mgmt\/(sdk|engine|mock|platform)$/, replacement: source("$1/src/index.ts") },
      { find: /^@mgmt\/sdk\/auth$/, replacement: source("sdk/src/auth/index.ts") },
      { find: /^@mgmt\/sdk\/auth\/node$/, replacement: source("sdk/src/auth/node.ts") },
      { find: /^@mgmt\/(sdk|mock)\/(node|partial|server)$/, replacement: source("$1/src/$2.ts") },
    ],
  },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/runtimes/**"],
    globalSetup: ["test/setup-answers.ts"],
    env: { MGMT_COVERAGE_FILE: answersFile },
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
