import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases, sequence, verificationTests } from "../../vitest.config.js";

/** Verifies what is built and written: documentation, packages, examples, and generated files. Run from the root. */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    globalSetup: ["test/temporary-folder.ts", "scripts/generate/fresh-build-output.ts"],
    include: verificationTests,
    maxWorkers: availableParallelism(),
    isolate: false,
    sequence,
    restoreMocks: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
