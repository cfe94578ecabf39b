import { defineConfig } from "vitest/config";
import shared from "../../../../vitest.config.js";

/** Tests with a real Secret Service: no part of `npm test`, since they need one. Started by run.sh, from the root. */
export default defineConfig({
  ...(shared.resolve && { resolve: shared.resolve }),
  test: { include: ["packages/cli/test/keyring/**/*.keyring.ts"], testTimeout: 60_000, hookTimeout: 120_000 },
});
