import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.js";

/** Tests in a real browser: no part of `npm test`, since they need Chromium. Run from the root. */
export default defineConfig({
  ...(shared.resolve && { resolve: shared.resolve }),
  test: { include: ["test/browser/**/*.browser.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
