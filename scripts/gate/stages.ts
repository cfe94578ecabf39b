/** A program with its arguments; a configuration of Vitest with options and filters; or a script with arguments. */
export type Command =
  | readonly string[]
  | { readonly vitest: string; readonly options?: readonly string[]; readonly words?: readonly string[] }
  | { readonly script: string; readonly words?: readonly string[] };

/** A part of the gate. It passes if its process exits with status 0. */
export interface Stage {
  readonly name: string;
  /** Its usual duration on two processors, beside another stage. The longest stages start first. */
  readonly minutes: number;
  readonly run: Command;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Returns a command as a program with its arguments.
 * @param words take the place of the filters of the configuration, or of the arguments of the script
 */
export const toProgram = (command: Command, words?: readonly string[]): string[] => {
  if ("vitest" in command) {
    const { vitest, options = [], words: usualWords = [] } = command;
    return ["node_modules/.bin/vitest", "run", "--config", vitest, ...options, ...(words ?? usualWords)];
  }
  if ("script" in command)
    return ["node", "--import", "tsx", command.script, ...(words ?? command.words ?? [])];
  return [...command, ...(words ?? [])];
};

const onPostgres15 = (names: readonly string[]): Command => ({
  vitest: "vitest.config.ts",
  options: ["--project", "postgres"],
  words: names.map((name) => `packages/cluster/${name}.postgres.test.ts`),
});

/** The platform logs in as a role that is no superuser, to a Postgres of hosting services. */
const postgres15 = {
  name: "postgres-15",
  environment: { MGMT_TEST_POSTGRES_MAJOR: "15", MGMT_TEST_POSTGRES_USER: "renter" },
};

/** Runs before `stages`, which need what it builds. */
export const first: Stage = { name: "build", minutes: 1, run: ["npm", "run", "build"] };

/** Run one after the other beside the build, which does not keep two processors busy. They need nothing that is built. */
export const besideBuild: readonly Stage[] = [
  { name: "typecheck", minutes: 0.4, run: ["npm", "run", "typecheck"] },
  // The stage docs checks the contract, before it generates from it.
  { name: "lint", minutes: 0.4, run: ["npm", "run", "lint:code"] },
];

/** The other stages of `.ci/run`. They run beside each other, in any order. */
export const stages: readonly Stage[] = [
  { name: "test", minutes: 3, run: { vitest: "vitest.config.ts", options: ["--project", "memory"] } },
  {
    name: "processes",
    minutes: 2.6,
    run: { vitest: "vitest.config.ts", options: ["--project", "processes"] },
  },
  { name: "postgres", minutes: 6.5, run: { vitest: "vitest.config.ts", options: ["--project", "postgres"] } },
  {
    ...postgres15,
    minutes: 0.3,
    run: onPostgres15([
      "test/database-copies",
      "test/rows/postgres-store",
      "src/guard/tenant-guard",
      "src/logins/logins",
      "src/policy/shared-cluster",
      "src/repair/cluster-repairer",
    ]),
  },
  {
    name: "docs",
    minutes: 1.9,
    run: { vitest: "test/docs/vitest.config.ts", words: ["test/docs", "test/contract"] },
  },
  {
    name: "packages",
    minutes: 0.8,
    run: { vitest: "test/docs/vitest.config.ts", words: ["test/packages"] },
  },
  {
    name: "terminal",
    minutes: 1.1,
    run: { vitest: "test/terminal/vitest.config.ts", words: ["screens", "pictures"] },
  },
  { name: "quickstarts", minutes: 0.8, run: { script: "test/docs-e2e/index.ts", words: ["--locked"] } },
  { name: "api", minutes: 0.3, run: { script: "scripts/api-reports.ts" } },
  { name: "store", minutes: 0.6, run: { vitest: "test/store/vitest.config.ts" } },
  { name: "browser", minutes: 2.2, run: { vitest: "test/browser/vitest.config.ts" } },
  { name: "security", minutes: 2.7, run: { vitest: "test/security/vitest.config.ts" } },
  {
    name: "crash",
    minutes: 0.7,
    run: { script: "test/crash/index.ts", words: ["--kills", "5", "--seed", "gate"] },
  },
  {
    name: "soak",
    minutes: 0.2,
    run: { script: "test/crash/soak/index.ts", words: ["--requests", "1000", "--seed", "gate"] },
  },
  { name: "serve", minutes: 0.6, run: { vitest: "test/serve/vitest.config.ts", words: ["api", "refusals"] } },
  { name: "mcp", minutes: 0.5, run: { vitest: "test/mcp/vitest.config.ts", words: ["server"] } },
  { name: "keyring", minutes: 0.2, run: ["packages/cli/test/credentials/keyring/run.sh"] },
];

const inMemory = ["test", "api"];

/** The parts of `npm run test:e2e`: the stages that start something. */
export const endToEndParts: readonly Stage[] = stages.filter(({ name }) => !inMemory.includes(name));

/** Runs when all tests have passed: it compares what they recorded with the contract. */
export const last: Stage = { name: "responses", minutes: 0.1, run: { script: "scripts/check-responses.ts" } };

/** The parts of `npm run test:full`, which run one after the other. */
export const fullParts: readonly Stage[] = [
  { name: "matrix", minutes: 8, run: { vitest: "test/runtimes/vitest.config.ts" } },
  { name: "account", minutes: 8, run: ["test/security/account.sh"] },
  {
    name: "hostile",
    minutes: 3,
    run: { vitest: "test/security/vitest.config.ts", words: ["hostile"] },
    environment: { MGMT_HOSTILE_SECONDS: "60" },
  },
  {
    name: "terminal",
    minutes: 20,
    run: { vitest: "test/terminal/vitest.config.ts" },
    environment: { MGMT_TERMINAL_NODES: "all", MGMT_TERMINAL_WIDTHS: "40,200" },
  },
  { name: "postgres-versions", minutes: 20, run: { script: "packages/cluster/test/postgres-versions.ts" } },
  {
    ...postgres15,
    minutes: 0.5,
    run: onPostgres15([
      "test/connection/half-open-logins",
      "test/database-copies",
      "test/isolation",
      "test/policy/without-superuser",
      "test/repair/repairs",
      "test/rows/postgres-store",
      "src/guard/tenant-guard",
      "src/logins/logins",
      "src/policy/shared-cluster",
      "src/repair/cluster-repairer",
      "src/rows/records-database",
    ]),
  },
  { name: "strangers", minutes: 30, run: { script: "test/docs-e2e/index.ts" } },
  { name: "crash", minutes: 60, run: { script: "test/crash/index.ts", words: ["--kills", "300"] } },
  { name: "crash-cases", minutes: 15, run: { script: "test/crash/index.ts", words: ["--case", "all"] } },
  { name: "soak", minutes: 25, run: { script: "test/crash/soak/index.ts", words: ["--minutes", "20"] } },
  {
    name: "serve",
    minutes: 60,
    run: { vitest: "test/serve/vitest.config.ts" },
    environment: { MGMT_SERVE_FULL: "1" },
  },
  {
    name: "serve-15",
    minutes: 60,
    run: { vitest: "test/serve/vitest.config.ts" },
    environment: { MGMT_SERVE_FULL: "1", MGMT_TEST_POSTGRES_MAJOR: "15" },
  },
  {
    name: "seeds",
    minutes: 40,
    // A shell, because a file that fails only in some order may pass alone: it must not count as flaky.
    run: [
      "bash",
      "-c",
      "for run in 1 2 3 4 5; do MGMT_TEST_SEED=$RANDOM node_modules/.bin/vitest run || exit 1; done",
    ],
  },
  {
    name: "recipes",
    minutes: 2,
    run: { vitest: "test/docs/vitest.config.ts", words: ["test/docs/recipes"] },
    environment: { MGMT_RECIPES_FULL: "1" },
  },
  { name: "mcp", minutes: 6, run: { vitest: "test/mcp/vitest.config.ts" } },
  {
    name: "page",
    minutes: 2,
    run: { vitest: "test/browser/vitest.config.ts", options: ["--project", "page"] },
    environment: { MGMT_PAGE_FULL: "1" },
  },
  {
    name: "browser",
    minutes: 3,
    run: { vitest: "test/browser/vitest.config.ts", options: ["--project", "browser"] },
    environment: { MGMT_BROWSER_FULL: "1" },
  },
  {
    name: "store",
    minutes: 2,
    run: { vitest: "test/store/vitest.config.ts" },
    environment: { MGMT_STORE_FULL: "1" },
  },
  { name: "test-databases", minutes: 3, run: { vitest: "test/test-databases/vitest.config.ts" } },
  { name: "cloning", minutes: 6, run: { vitest: "test/cloning/vitest.config.ts" } },
  { name: "faults", minutes: 60, run: { script: "test/faults/index.ts" } },
  { name: "mutants", minutes: 300, run: { script: "test/faults/mutants/index.ts" } },
  { name: "bench", minutes: 30, run: { script: "bench/index.ts", words: ["--compare", "auto"] } },
];
