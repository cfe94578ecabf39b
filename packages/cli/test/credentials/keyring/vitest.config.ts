import { defineConfig } from "vitest/config";
import shared from "../../../../../vitest.config.js";

/** Tests that need a real Secret Service, and are therefore not part of `npm test`. `run.sh` starts them. */
export default defineConfig({
  ...(shared.resolve && { resolve: shared.resolve }),
  test: {
    include: ["packages/cli/test/credentials/keyring/**/*.keyring.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
