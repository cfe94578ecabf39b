import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { reportVariable, reporters } from "./scripts/gate/failures-reporter.js";

const source = (path: string) => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

/** Makes tests use the sources of the packages. */
export const aliases = [
  { find: "#trace-channels", replacement: source("sdk/src/request/trace-channels.ts") },
  { find: "#environment", replacement: source("sdk/src/request/environment.ts") },
  { find: "#masked-inspection", replacement: source("sdk/src/debug/masked-inspection.ts") },
  { find: /^#(all-)?type-checks$/, replacement: source("sdk/src/checks/type-checks.ts") },
  { find: "#validators", replacement: source("engine/src/request/validators.ts") },
  { find: "#digest", replacement: source("engine/src/digest/node-digest.ts") },
  { find: "#platform", replacement: source("mock/src/platform/node-platform.ts") },
  { find: "#limit", replacement: source("sdk/src/deadlines/light-limit.ts") },
  { find: "#response-text", replacement: source("sdk/src/transport/limited-text.ts") },
  { find: /^@mgmt\/(cluster|internal)\/(.+)$/, replacement: source("$1/src/$2.ts") },
  { find: /^@mgmt\/sdk\/openapi\.json$/, replacement: source("sdk/openapi.json") },
  { find: /^@mgmt\/(sdk|engine|mock|platform)$/, replacement: source("$1/src/index.ts") },
  { find: /^@mgmt\/sdk\/auth$/, replacement: source("sdk/src/auth/index.ts") },
  { find: /^@mgmt\/sdk\/auth\/node$/, replacement: source("sdk/src/auth/node.ts") },
  {
    find: /^@mgmt\/(sdk|engine|mock|platform)\/(node|partial|http|internal|server|vitest|jest|playwright|serve|node-test|test-databases)$/,
    replacement: source("$1/src/$2.ts"),
  },
];

/** Tests of documentation, packages, and examples. They run programs in new folders, so `npm run test:e2e -- docs` runs them, not `npm test`. */
export const verificationTests = ["test/{docs,packages}/**/*.test.ts", "test/contract/generated.test.ts"];

const seed = process.env["MGMT_TEST_SEED"];

/** Without a seed, Vitest chooses the order of files. */
export const sequence = seed === undefined ? {} : { shuffle: { files: true }, seed: Number(seed) };

interface Level {
  readonly name: string;
  /** How the names of its files end. */
  readonly ending: string;
  readonly exclude?: readonly string[];
  readonly setupFiles?: readonly string[];
  readonly globalSetup?: readonly string[];
}

const level = ({ name, ending, exclude = [], setupFiles = [], globalSetup = [] }: Level) => ({
  extends: true as const,
  test: {
    name,
    include: [`packages/*/{src,test}/**/*${ending}`, `{test,examples}/**/*${ending}`],
    exclude: ["**/node_modules/**", "test/runtimes/**", ...verificationTests, ...exclude],
    setupFiles: [
      "test/setup/no-leaks.ts",
      "test/setup/patience.ts",
      "test/setup/seed.ts",
      "test/setup/record-responses.ts",
      ...setupFiles,
    ],
    globalSetup: ["test/temporary-folder.ts", "scripts/generate/fresh-build-output.ts", ...globalSetup],
  },
});

export default defineConfig({
  resolve: { alias: aliases },
  test: {
    reporters: reporters(),
    // Test files leave no state behind in modules or globals. They run one after the other in the same worker processes, which
    // saves loading the sources for each of them.
    isolate: false,
    // The stages of a run of the gate share what they transform. Before it, `npm ci` removes what an earlier one has left.
    experimental: { fsModuleCache: process.env[reportVariable] !== undefined },
    sequence,
    maxWorkers: availableParallelism(),
    restoreMocks: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      level({
        name: "memory",
        ending: ".test.ts",
        exclude: ["**/*.{process,postgres}.test.ts"],
        setupFiles: [
          "test/setup/no-processes.ts",
          "test/setup/no-open-files.ts",
          "test/setup/frozen-rows.ts",
        ],
        globalSetup: ["test/new-record.ts"],
      }),
      level({ name: "processes", ending: ".process.test.ts" }),
      level({ name: "postgres", ending: ".postgres.test.ts" }),
    ],
  },
});
