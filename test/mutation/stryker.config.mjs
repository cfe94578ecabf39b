import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = process.env["MUTATE"];

/** Run by `run.mjs`. */
export default {
  plugins: [here("node_modules/@stryker-mutator/vitest-runner/dist/src/index.js")],
  testRunner: "vitest",
  vitest: { configFile: here("vitest.config.ts"), related: false },
  mutate: [`${folder}/**/*.ts`, "!**/generated/**"],
  // Mutants that only run while a module loads would need all tests.
  ignoreStatic: true,
  disableTypeChecks: false,
  inPlace: false,
  tempDirName: "node_modules/.stryker",
  symlinkNodeModules: true,
  ignorePatterns: [
    "dist",
    "bench",
    "site",
    "docs",
    "test/mutation/node_modules",
    "test/runtimes/node_modules",
  ],
  concurrency: Number(process.env["MUTATION_CONCURRENCY"] ?? 2),
  timeoutMS: 20_000,
  reporters: ["progress", "json", "clear-text"],
  clearTextReporter: { reportTests: false, reportMutants: true, allowColor: false },
  jsonReporter: { fileName: here("report.json") },
  allowEmpty: false,
};
