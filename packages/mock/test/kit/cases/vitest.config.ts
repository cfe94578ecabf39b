import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import shared from "../../../../../vitest.config.js";

/** Runs tests that fail, for the tests of the fixtures. */
export default defineConfig({
  ...(shared.resolve && { resolve: shared.resolve }),
  root: fileURLToPath(new URL(".", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../../../../../node_modules/.vite-cases", import.meta.url)),
  test: { include: ["*.case.ts"], testTimeout: 120_000 },
});
