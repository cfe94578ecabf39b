import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases } from "../../vitest.config.js";

/**
 * Tests the packed packages on all supported runtimes and compilers. Not part of `npm test`, because they
 * need more than a gigabyte. Run from the root.
 */
export default defineConfig({
  // The reference server is this repository's; the packages under test are the packed ones.
  resolve: { alias: aliases },
  test: {
    include: ["test/runtimes/**/*.test.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts", "test/runtimes/installed.ts"],
    reporters: reporters(),
    // Two files at a time, and two processes of a file. Some of them wait for servers and browsers, so that two processors stay busy.
    maxWorkers: 2,
    maxConcurrency: 2,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
