import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases } from "../../vitest.config.js";

/** Several servers of one service, which clients use through a proxy, while faults happen. Run from the root. */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    include: ["test/serve/**/*.serve.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts"],
    // Each file has a Postgres server and two processes, which are enough load for two processors.
    fileParallelism: false,
    testTimeout: 7_200_000,
    hookTimeout: 240_000,
  },
});
