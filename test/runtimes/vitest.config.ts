import { defineConfig } from "vitest/config";

/** The packages on other versions of Node: no part of `npm test`, since those take half a gigabyte. Run from the root. */
export default defineConfig({
  test: { include: ["test/runtimes/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 300_000 },
});
