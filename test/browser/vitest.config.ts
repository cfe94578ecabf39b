import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import shared from "../../vitest.config.js";

/** Tests in a real browser. They need Chromium, so `npm test` does not run them. Run from the root. */
export default defineConfig({
  ...(shared.resolve && { resolve: shared.resolve }),
  test: {
    reporters: reporters(),
    include: ["test/browser/**/*.browser.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
