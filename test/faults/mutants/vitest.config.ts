import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { aliases } from "../../../vitest.config.js";

/** The package whose sources have mutants. */
const packageName = process.env["MGMT_MUTANTS_PACKAGE"] ?? "*";

/** The tests in memory of a package, without projects: Stryker runs a file with one mutant after the other in the same process. */
export default defineConfig({
  root: fileURLToPath(new URL("../../../", import.meta.url)),
  resolve: { alias: aliases },
  test: {
    include: [`packages/${packageName}/{src,test}/**/*.test.ts`],
    exclude: ["**/node_modules/**", "**/*.{process,postgres}.test.ts"],
    setupFiles: ["test/setup/patience.ts", "test/setup/no-processes.ts"],
    globalSetup: ["test/temporary-folder.ts"],
    restoreMocks: true,
    testTimeout: 20_000,
  },
});
