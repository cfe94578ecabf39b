import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases } from "../../vitest.config.js";

/** Clients of the Model Context Protocol, connected to the built `mgmt mcp`. Run from the root. */
export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    include: ["test/mcp/**/*.mcp.ts"],
    globalSetup: ["scripts/generate/fresh-build-output.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
