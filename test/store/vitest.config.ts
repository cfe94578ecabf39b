import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases, sequence } from "../../vitest.config.js";

/** Runs the tests of the API with a store in Postgres. Run from the root. */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    include: ["packages/engine/{src,test}/{rules,oauth}/**/*.test.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts", "test/store/start-postgres.ts"],
    setupFiles: ["test/setup/patience.ts", "test/store/setup.ts"],
    isolate: false,
    sequence,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
