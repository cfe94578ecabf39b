import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases } from "../../vitest.config.js";

/** Attacks on the built command, each beside a control that shows the attack working on an unprotected target. Run from the root. */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    include: ["test/security/**/*.security.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts"],
    // One process loads the sources once for all files.
    isolate: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
