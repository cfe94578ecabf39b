import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { responsesFile } from "../responses-file.js";
import { reportVariable } from "./failures-reporter.js";
import { type Ending, exitStatusOf, killJobs, runJob } from "./job.js";
import { type Stage, first, last, stages } from "./stages.js";
import { type FailedFile, type TestRun, readTestRun } from "./test-run.js";

/**
 * Runs the stages: the first one, then two at a time, the longest first, then the last one. A test file that fails is run once
 * more, alone, when no other stage runs. If it passes then, it is reported as flaky and the stage passes.
 *
 * Prints a line for each stage, the tests that failed, the stages that failed, and their logs.
 */

/** How many times its usual duration a stage may take. The machine may be slow or busy. */
const patience = 6;
const lanes = 2;
/** When more files fail, the cause is not chance. */
const mostFlakyFiles = 3;
const flakyRecord = "node_modules/.cache/mgmt/flaky.jsonl";

interface Outcome {
  readonly stage: Stage;
  readonly ending: Ending;
  readonly tests: TestRun | undefined;
}

const logs = mkdtempSync(join(tmpdir(), "mgmt-gate-"));
const logOf = (stage: Stage): string => join(logs, `${stage.name}.log`);
const underWay = new Set<string>();
const outcomes: Outcome[] = [];
/** Stages of which every file that failed passed when it ran again. */
const recovered = new Set<Stage>();

process.once("exit", () => rmSync(logs, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    killJobs();
    console.log(`STOPPED by ${signal} during: ${[...underWay].join(", ")}`);
    process.exit(exitStatusOf(signal));
  });
}

const commandOf = ({ run }: Stage, ...words: string[]): string[] =>
  "vitest" in run ? ["node_modules/.bin/vitest", "run", "--config", run.vitest, ...words] : [...run];

const minutesSince = (start: number): string => {
  const seconds = Math.round((performance.now() - start) / 1_000);
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, "0")}`;
};

const runStage = async (stage: Stage): Promise<Outcome> => {
  const start = performance.now();
  const report = join(logs, `${stage.name}.json`);
  underWay.add(stage.name);
  const ending = await runJob(commandOf(stage), logOf(stage), stage.minutes * patience + 5, {
    [reportVariable]: report,
    MGMT_KEEP_RESPONSES: "true",
  });
  underWay.delete(stage.name);
  const tests = readTestRun(report);
  const counts = tests ? `  ${String(tests.passed)} tests passed, ${String(tests.failed)} failed` : "";
  console.log(
    `${ending === 0 ? "ok  " : "FAIL"} ${stage.name.padEnd(12)} ${minutesSince(start).padStart(5)}${counts}`,
  );
  const outcome = { stage, ending, tests };
  outcomes.push(outcome);
  return outcome;
};

/** Takes stages from a queue until it is empty. */
const runLane = async (queue: Stage[]): Promise<void> => {
  for (let stage = queue.shift(); stage; stage = queue.shift()) await runStage(stage);
};

const passesAlone = async (stage: Stage, { file }: FailedFile): Promise<boolean> => {
  const report = join(logs, "again.json");
  rmSync(report, { force: true });
  const ending = await runJob(commandOf(stage, "--maxWorkers=1", file), logOf(stage), 15, {
    [reportVariable]: report,
    MGMT_KEEP_RESPONSES: "true",
  });
  return ending === 0 && (readTestRun(report)?.passed ?? 0) > 0;
};

const printFile = (mark: string, { file, failures }: FailedFile): void => {
  // A file without a failed test or an error fails when its teardown does.
  if (failures.length === 0) console.log(`${mark} ${file}`);
  for (const { test, message } of failures)
    console.log(stripVTControlCharacters(`${mark} ${[file, test, message].filter(Boolean).join(" · ")}`));
};

const recordFlaky = (stage: Stage, failed: FailedFile): void => {
  mkdirSync(dirname(flakyRecord), { recursive: true });
  const line = { at: new Date().toISOString(), load: loadavg()[0], stage: stage.name, ...failed };
  appendFileSync(flakyRecord, `${JSON.stringify(line)}\n`);
};

/** Runs the files that failed once more, if they are few. Prints each failure. */
const repeatFailures = async (): Promise<void> => {
  const failed = outcomes.filter(({ ending }) => ending !== 0);
  const files = failed.flatMap(({ tests }) => tests?.files ?? []);
  for (const { stage, tests } of failed) {
    const mayPass = files.length <= mostFlakyFiles && tests?.unhandled.length === 0;
    let left = tests?.files.length ?? 0;
    for (const file of tests?.files ?? []) {
      const isFlaky = mayPass && (await passesAlone(stage, file));
      printFile(isFlaky ? "FLAKY " : "FAILED", file);
      if (!isFlaky) continue;
      left -= 1;
      recordFlaky(stage, file);
    }
    for (const error of tests?.unhandled ?? []) console.log(`FAILED ${stage.name} · ${error}`);
    // A run without a failed file failed for a reason that is not in a test.
    if (mayPass && left === 0 && tests.files.length > 0) recovered.add(stage);
  }
};

const failedOutcomes = (): Outcome[] =>
  outcomes.filter(({ stage, ending }) => ending !== 0 && !recovered.has(stage));

/** Prints what failed, with the logs, and the counts of all tests. A stage without tests counts as one. */
const printEnd = (): void => {
  const failed = failedOutcomes();
  for (const { stage, ending } of failed) console.log(`FAILED stage ${stage.name} (${String(ending)})`);
  for (const { stage } of failed)
    console.log(`\n===== ${stage.name}\n${readFileSync(logOf(stage), "utf8").slice(-60_000)}`);
  const passed = outcomes.reduce(
    (sum, { tests, stage, ending }) =>
      sum + (tests ? tests.passed + (recovered.has(stage) ? tests.failed : 0) : Number(ending === 0)),
    0,
  );
  const missed = failed.reduce((sum, { tests }) => sum + Math.max(1, tests?.failed ?? 0), 0);
  console.log(`${String(passed)} passed, ${String(missed)} failed`);
};

rmSync(responsesFile, { force: true });
mkdirSync(dirname(responsesFile), { recursive: true });
if ((await runStage(first)).ending === 0) {
  const queue = [...stages].sort((one, other) => other.minutes - one.minutes);
  await Promise.all(Array.from({ length: lanes }, () => runLane(queue)));
  await repeatFailures();
  if (failedOutcomes().length === 0) await runStage(last);
}
printEnd();
process.exitCode = failedOutcomes().length > 0 ? 1 : 0;
