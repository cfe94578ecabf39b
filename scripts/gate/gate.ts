import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { reportVariable } from "./failures-reporter.js";
import { type Ending, exitStatusOf, killJobs, runJob } from "./job.js";
import { type Stage, toProgram } from "./stages.js";
import { type FailedFile, type TestRun, readTestRun } from "./test-run.js";

/** How many times its usual duration a stage may take. The machine may be slow or busy. */
const patience = 6;
/** When more files fail, the cause is not chance. */
const mostFlakyFiles = 3;

interface Outcome {
  readonly stage: Stage;
  readonly ending: Ending;
  readonly tests: TestRun | undefined;
}

/** Runs stages, and prints a line for each, the tests that failed, the stages that failed, and their logs. */
export class Gate {
  readonly #logs = mkdtempSync(join(tmpdir(), "mgmt-gate-"));
  readonly #outcomes: Outcome[] = [];
  readonly #running = new Set<string>();
  /** Stages of which every file that failed passed when it ran again. */
  readonly #recovered = new Set<Stage>();

  readonly #flakyRecord: string;

  /** @param flakyRecord File that gets a line of JSON for each flaky file. */
  constructor(flakyRecord = "node_modules/.cache/mgmt/flaky.jsonl") {
    this.#flakyRecord = flakyRecord;
    process.once("exit", () => rmSync(this.#logs, { recursive: true, force: true }));
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => {
        killJobs();
        console.log(`STOPPED by ${signal} during: ${[...this.#running].join(", ")}`);
        process.exit(exitStatusOf(signal));
      });
    }
  }

  get failed(): Outcome[] {
    return this.#outcomes.filter(({ stage, ending }) => ending !== 0 && !this.#recovered.has(stage));
  }

  /**
   * Runs several stages in lanes, the longest first. A test file that fails is run once more, alone, when no other stage runs. If
   * it passes then, it is reported as flaky, and does not fail its stage, unless the stage ended by a signal, its time limit, or
   * any other status than 1.
   */
  async runAll(stages: readonly Stage[], lanes: number): Promise<void> {
    const queue = [...stages].sort((one, other) => other.minutes - one.minutes);
    const runLane = async (): Promise<void> => {
      for (let stage = queue.shift(); stage; stage = queue.shift()) await this.run(stage);
    };
    await Promise.all(Array.from({ length: lanes }, runLane));
    await this.#repeatFailures();
  }

  /** Returns whether the stage passes. */
  async run(stage: Stage): Promise<boolean> {
    const start = performance.now();
    this.#running.add(stage.name);
    const outcome = await this.#execute(stage, stage.minutes * patience + 5);
    this.#running.delete(stage.name);
    this.#outcomes.push(outcome);
    const { ending, tests } = outcome;
    const counts = tests ? `  ${String(tests.passed)} tests passed, ${String(tests.failed)} failed` : "";
    console.log(
      `${ending === 0 ? "ok  " : "FAIL"} ${stage.name.padEnd(12)} ${clock(performance.now() - start)}${counts}`,
    );
    return ending === 0;
  }

  /**
   * Prints what failed with the logs, then the counts of all tests. A stage without tests counts as one. Sets the exit status of
   * the process.
   */
  printEnd(): void {
    const { failed } = this;
    for (const { stage, ending } of failed) console.log(`FAILED stage ${stage.name} (${String(ending)})`);
    for (const { stage } of failed)
      console.log(`\n===== ${stage.name}\n${readFileSync(this.#logOf(stage), "utf8").slice(-60_000)}`);
    const passed = this.#outcomes.reduce((sum, outcome) => sum + this.#passedIn(outcome), 0);
    const missed = failed.reduce((sum, { tests }) => sum + Math.max(1, tests?.failed ?? 0), 0);
    console.log(`${String(passed)} passed, ${String(missed)} failed`);
    process.exitCode = failed.length > 0 ? 1 : 0;
  }

  #passedIn({ stage, ending, tests }: Outcome): number {
    if (!tests) return ending === 0 ? 1 : 0;
    return tests.passed + (this.#recovered.has(stage) ? tests.failed : 0);
  }

  #logOf({ name }: Stage): string {
    return join(this.#logs, `${name}.log`);
  }

  /**
   * @param limit in minutes
   * @param file the only test file to run
   */
  async #execute(stage: Stage, limit: number, file?: string): Promise<Outcome> {
    const report = join(this.#logs, `${stage.name}.json`);
    rmSync(report, { force: true });
    const alone = file === undefined ? undefined : ["--maxWorkers=1", file];
    const ending = await runJob(toProgram(stage.run, alone), this.#logOf(stage), limit, {
      ...stage.environment,
      [reportVariable]: report,
      MGMT_KEEP_RESPONSES: "true",
    });
    return { stage, ending, tests: readTestRun(report) };
  }

  async #repeatFailures(): Promise<void> {
    const failed = this.#outcomes.filter(({ ending }) => ending !== 0);
    const files = failed.flatMap(({ tests }) => tests?.files ?? []);
    for (const { stage, ending, tests } of failed) {
      // Vitest exits with 1 when tests fail. Any other ending has a cause that is not in a test.
      const mayPass = ending === 1 && files.length <= mostFlakyFiles && tests?.unhandled.length === 0;
      let left = tests?.files.length ?? 0;
      for (const file of tests?.files ?? []) {
        const isFlaky = mayPass && (await this.#passesAlone(stage, file));
        printFile(isFlaky ? "FLAKY " : "FAILED", file);
        if (!isFlaky) continue;
        left -= 1;
        this.#recordFlaky(stage, file);
      }
      for (const error of tests?.unhandled ?? []) console.log(`FAILED ${stage.name} · ${error}`);
      // A run without a failed file failed for a reason that is not in a test.
      if (mayPass && left === 0 && tests.files.length > 0) this.#recovered.add(stage);
    }
  }

  async #passesAlone(stage: Stage, { file }: FailedFile): Promise<boolean> {
    const { ending, tests } = await this.#execute(stage, 15, file);
    return ending === 0 && (tests?.passed ?? 0) > 0;
  }

  #recordFlaky(stage: Stage, failed: FailedFile): void {
    mkdirSync(dirname(this.#flakyRecord), { recursive: true });
    const line = { at: new Date().toISOString(), load: loadavg()[0], stage: stage.name, ...failed };
    appendFileSync(this.#flakyRecord, `${JSON.stringify(line)}\n`);
  }
}

const printFile = (mark: string, { file, failures }: FailedFile): void => {
  if (failures.length === 0) console.log(`${mark} ${file}`);
  for (const { test, message } of failures)
    console.log(stripVTControlCharacters(`${mark} ${[file, test, message].filter(Boolean).join(" · ")}`));
};

const clock = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1_000);
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, "0")}`;
};
