import { fileURLToPath } from "node:url";
import { type TestProjectConfiguration, defineConfig } from "vitest/config";
import { responsesFile } from "./scripts/responses-file.js";

const source = (path: string) => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

/**
 * Test files that leave no state behind in modules or globals. They run one after the other in shared worker processes,
 * which saves loading the sources for each of them.
 */
const shared = [
  "packages/{cli,engine,mock,sdk}/test/**/*.test.ts",
  "test/{architecture,contract,docs,peers}/**/*.test.ts",
];

const project = (name: string, test: object): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    env: { MGMT_COVERAGE_FILE: responsesFile },
    testTimeout: 30_000,
    hookTimeout: 120_000,
    ...test,
  },
});

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
    globalSetup: ["scripts/generate/fresh-build-output.ts", "test/record-responses.ts"],
    // The default leaves one processor free, which is one of two on small machines.
    maxWorkers: "100%",
    projects: [
      project("isolated", {
        include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
        exclude: ["**/node_modules/**", "test/runtimes/**", ...shared],
      }),
      project("shared", { include: shared, isolate: false }),
    ],
  },
});
