import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases, sequence } from "../../vitest.config.js";

/**
 * Tests whose answers depend on the store: those that cross rules, and those of lists, unique keys, grants, jobs, and tokens. The others
 * repeat what the tests in memory say of one handler.
 */
const dependent = [
  "packages/engine/test/rules/{copies,invariants,project-creation}.test.ts",
  "packages/engine/src/rules/{agent-approvals,branches,connections,integrations,workspaces}/**/*.test.ts",
  "packages/engine/src/rules/{databases/{backup-jobs,backups,database-lifecycle},projects/projects}.test.ts",
  "packages/engine/src/oauth/{consents,grant-deletion,grants,revocation-endpoint,token-endpoint}.test.ts",
];

/**
 * Runs tests of the API with a store in Postgres: in the gate those above, all in the part `store` of `npm run test:full`. Run from the
 * root.
 */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    include:
      process.env["MGMT_STORE_FULL"] === "1"
        ? ["packages/engine/{src,test}/{rules,oauth}/**/*.test.ts"]
        : dependent,
    globalSetup: ["scripts/generate/fresh-build-output.ts", "test/store/start-postgres.ts"],
    setupFiles: ["test/setup/patience.ts", "test/store/setup.ts"],
    isolate: false,
    sequence,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
