import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases } from "../../vitest.config.js";

/**
 * Runs the installed command in real terminals. `-- --update` writes the committed screens and pictures. Run from the root, on
 * Linux.
 */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    include: ["test/terminal/**/*.terminal.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts", "test/terminal/installed-command.ts"],
    reporters: reporters(),
    maxWorkers: 2,
    maxConcurrency: 3,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
