import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases } from "../../vitest.config.js";

/** The built entries for test runners, in projects as users have them. Run from the root. */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    include: ["test/test-databases/**/*.runs.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts"],
    // Each file has a Postgres server, and runners with workers.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
