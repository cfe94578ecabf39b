import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { transformSync } from "esbuild";
import { reportVariable } from "../../scripts/gate/failures-reporter.js";
import { runJob } from "../../scripts/gate/job.js";
import { readTestRun } from "../../scripts/gate/test-run.js";
import { readRelatedTests } from "./related-tests.js";
import { createWorkingCopy, root } from "./working-copy.js";

const usage = `npm run test:full -- faults [FILE ...]
npx tsx test/faults/index.ts [--list LIST] [--until STAGE] [FILE ...]

Plants each fault of a list, alone, in a copy of the working tree, and prints a line for each: the stage that catches it or SURVIVES,
the fault, and the test that fails. The last line counts them. FILE is a part of a path, and limits the list. A stage runs for the faults
that no stage before it catches:
  memory     tests in memory that reach the source, those beside it or that import it first
  processes  tests of its package that start processes
  postgres   tests of its package that start Postgres

--list   file with a fault in each line, as JSON: its file, its kind, the text that it replaces (from), and the fault (to).
         Default: test/faults/faults.jsonl
--until  the last stage to run. Default: postgres

Exits with 1 if a fault survives, if its text does not occur exactly once, or if a test fails without it.
`;

interface Fault {
  readonly file: string;
  /** What it is an example of, such as a lock that is not released. */
  readonly kind: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
}

/** A test that fails. */
interface Failure {
  readonly stage: Stage;
  /** Undefined if no test file fails, but the run. */
  readonly file: string | undefined;
  readonly words: string;
}

const stages = ["memory", "processes", "postgres"] as const;
type Stage = (typeof stages)[number];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "string", default: join(root, "test/faults/faults.jsonl") },
    until: { type: "string", default: "postgres" },
    help: { type: "boolean", default: false },
  },
});
const lastStage = stages.findIndex((stage) => stage === values.until);
if (values.help || lastStage === -1) {
  process.stdout.write(usage);
  process.exit(values.help ? 0 : 2);
}

const copy = createWorkingCopy();
const report = join(copy, "node_modules/.faults.json");
const log = join(copy, "node_modules/.faults.log");
const relatedTests = readRelatedTests(copy);

const runTests = async (stage: Stage, files: readonly string[]): Promise<Failure | undefined> => {
  if (files.length === 0) return undefined;
  rmSync(report, { force: true });
  const vitest = ["node_modules/.bin/vitest", "run", "--project", stage, "--bail=1", "--passWithNoTests"];
  const command = ["env", "-C", copy, ...vitest, ...files];
  const ending = await runJob(command, log, 15, { [reportVariable]: report });
  if (ending === 0) return undefined;
  const { file, failures } = readTestRun(report)?.files[0] ?? {};
  const words = failures?.[0]?.test ?? failures?.[0]?.message ?? `the run ended with ${String(ending)}`;
  return { stage, file, words: [file, words].filter(Boolean).join(" · ") };
};

const findFailure = async (file: string): Promise<Failure | undefined> => {
  const tests = relatedTests.of(file);
  for (const stage of stages.slice(0, lastStage + 1)) {
    if (stage === "processes") {
      const ending = await runJob(["node", join(copy, "scripts/build-if-stale.mjs")], log, 10, {});
      if (ending !== 0) return { stage, file: undefined, words: "the build fails" };
    }
    for (const files of tests[stage]) {
      const failure = await runTests(stage, files);
      if (failure) return failure;
    }
  }
  return undefined;
};

const lines = readFileSync(values.list, "utf8").split("\n").filter(Boolean);
// Each property is used as text only.
const allFaults = lines.map((line) => JSON.parse(line) as Fault);
const faults = allFaults.filter(
  ({ file }) => positionals.length === 0 || positionals.some((word) => file.includes(word)),
);

const counts = new Map<string, number>();
const failures = new Map<string, Failure>();
for (const { file, kind, from, to } of faults) {
  const start = performance.now();
  const path = join(copy, file);
  const source = existsSync(path) ? readFileSync(path, "utf8") : "";
  let failure: Failure | undefined;
  let state = "NO TEXT";
  if (source.split(from).length === 2) {
    const faultySource = source.replace(from, () => to);
    // Every test would catch a fault that cannot be parsed.
    transformSync(faultySource, { loader: "ts" });
    writeFileSync(path, faultySource);
    failure = await findFailure(file);
    writeFileSync(path, source);
    state = failure?.stage ?? "SURVIVES";
  }
  counts.set(state, (counts.get(state) ?? 0) + 1);
  if (failure?.file !== undefined) failures.set(failure.file, failure);
  const seconds = String(Math.round((performance.now() - start) / 1_000));
  console.log(
    [state.padEnd(9), `${seconds.padStart(4)} s`, file, kind, failure?.words ?? JSON.stringify(from)].join(
      "  ",
    ),
  );
}
const describeCount = (state: string): string => `${String(counts.get(state) ?? 0)} ${state}`;
const summary = [...stages, "SURVIVES", "NO TEXT"].map(describeCount).join(", ");
console.log(`${String(faults.length)} faults: ${summary}`);
let isWrong = counts.has("SURVIVES") || counts.has("NO TEXT");
for (const { file, stage } of failures.values()) {
  const failure = await runTests(stage, file === undefined ? [] : [file]);
  if (!failure) continue;
  isWrong = true;
  console.log(`FAILS without a fault, so it has caught none: ${failure.words}`);
}
process.exitCode = isWrong ? 1 : 0;
