import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases } from "../../vitest.config.js";

/** Copies of large databases on file systems that can clone files, and on others. Run from the root, as root, with `mkfs.xfs`. */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    include: ["test/cloning/**/*.runs.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts"],
    // The file systems share one disk.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
