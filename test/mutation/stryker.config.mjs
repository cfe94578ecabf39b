import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Run by `run.mjs`, which sets the environment variables. */
export default {
  plugins: [here("warm-runner.mjs"), here("ignored-mutants.mjs"), here("scores.mjs")],
  ignorers: ["prose"],
  testRunner: "warm-vitest",
  mutate: JSON.parse(process.env["MUTATION_SOURCES"] ?? "[]"),
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
  // Generous, because a change that times out counts as detected, also when the machine is only busy.
  timeoutMS: 40_000,
  timeoutFactor: 3,
  reporters: ["progress-append-only", "scores"],
  allowEmpty: false,
};
