import { defineConfig } from "vitest/config";
import { aliases } from "../../../../../vitest.config.js";

/** Tests that need a real Secret Service, and are therefore not part of `npm test`. `run.sh` starts them. */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    include: ["packages/cli/test/credentials/keyring/**/*.keyring.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
