import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/**
 * The packed packages on all that they run on and are compiled with: no part of `npm test`, since that takes more than a
 * gigabyte. Run from the root.
 */
export default defineConfig({
  // The reference server of these tests is this repository's; the packages under test are those that were packed.
  ...(shared.resolve && { resolve: shared.resolve }),
  test: {
    include: ["test/runtimes/**/*.test.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts", "test/runtimes/installed.ts"],
    // Compilers and runtimes are programs of their own: more at once than processors only wait for each other.
    maxConcurrency: 2,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
