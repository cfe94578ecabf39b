import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Runs the tests of one folder under mutation. `run.mjs` names them. */
export default defineConfig({
  ...(shared.resolve && { resolve: shared.resolve }),
  test: {
    include: JSON.parse(process.env["MUTATION_TESTS"] ?? "[]") as string[],
    globalSetup: ["scripts/generate/fresh-build-output.ts"],
    setupFiles: ["test/mutation/short-pauses.ts"],
    isolate: false,
    restoreMocks: true,
    // A mutant that makes a test wait forever must not take minutes.
    testTimeout: 10_000,
    hookTimeout: 15_000,
  },
});
