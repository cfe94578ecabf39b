import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { aliases } from "../../../../../vitest.config.js";

/** Runs tests that fail, and one that needs a thread. */
export default defineConfig({
  resolve: { alias: aliases },
  root: fileURLToPath(new URL(".", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../../../../../node_modules/.vite-cases", import.meta.url)),
  test: { include: ["*.case.ts"], pool: "threads", testTimeout: 120_000 },
});
