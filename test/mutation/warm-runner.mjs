import { INSTRUMENTER_CONSTANTS } from "@stryker-mutator/api/core";
import { PluginKind, declareClassPlugin } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { startWorker } from "./warm-worker.mjs";

const statuses = { pass: TestStatus.Success, fail: TestStatus.Failed };

const toTestResult = ({ state, ...test }) => ({ ...test, status: statuses[state] ?? TestStatus.Skipped });

const failureIn = ({ tests }) => tests.find(({ state }) => state === "fail");

/**
 * Runs tests for Stryker in a Vitest worker that keeps the sources loaded. All mutants are in the same instrumented code, so that
 * nothing has to be loaded again for the next one. Stryker's own runner starts a worker for each mutant, which takes longer than
 * most of these tests.
 *
 * What a mutant leaves in memory must not fail the tests of the next one. A mutant therefore counts as killed only if the test
 * that failed passes again without it. If it does not, a new worker decides.
 */
class WarmRunner {
  static inject = [];
  #worker;
  /** Milliseconds of the last run of each test file, to run the fastest ones first. */
  #durations = new Map();

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    this.#worker = await startWorker("test/mutation/vitest.config.ts", INSTRUMENTER_CONSTANTS.NAMESPACE);
  }

  /**
   * Runs all tests twice. The first run loads all modules, also those that a test imports when it needs them. Mutants that only
   * the first run reaches are static: they cannot be activated once the modules are loaded.
   */
  async dryRun() {
    const { files } = this.#worker;
    const first = await this.#run({ files, coverage: "static" });
    const { tests, mutantCoverage } = await this.#run({ files, coverage: "perTest" });
    const reached = Object.assign({}, ...Object.values(mutantCoverage.perTest));
    const loaded = Object.entries(first.mutantCoverage.static).filter(([id]) => !(id in reached));
    return {
      status: DryRunStatus.Complete,
      tests: tests.map(toTestResult),
      mutantCoverage: { static: Object.fromEntries(loaded), perTest: mutantCoverage.perTest },
    };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const files = testFilter ? [...new Set(testFilter.map((id) => id.split("#")[0]))] : this.#worker.files;
    files.sort((a, b) => (this.#durations.get(a) ?? 0) - (this.#durations.get(b) ?? 0));
    const request = { files, ids: testFilter, mutant: activeMutant.id, hitLimit };
    const startedAt = performance.now();
    const first = await this.#run(request);
    const failure = failureIn(first);
    const duration = performance.now() - startedAt;
    // A test that waited until it timed out may do so again, so it runs after those that fail at once.
    if (failure && duration > 5_000) this.#durations.set(failure.fileName, duration);
    if (await this.#passesWithoutMutant(failure)) return this.#resultOf(first, hitLimit);
    await this.#restart();
    const second = await this.#run(request);
    if (!(await this.#passesWithoutMutant(failureIn(second)))) await this.#restart();
    return this.#resultOf(second, hitLimit);
  }

  async dispose() {
    await this.#worker?.stop();
  }

  #resultOf({ tests, hitCount }, hitLimit) {
    const complete = { status: DryRunStatus.Complete, tests: tests.map(toTestResult) };
    return toMutantRunResult(determineHitLimitReached(hitCount, hitLimit) ?? complete);
  }

  async #passesWithoutMutant(failure) {
    if (failure === undefined) return true;
    return failureIn(await this.#run({ files: [failure.fileName], ids: [failure.id] })) === undefined;
  }

  async #restart() {
    await this.#worker.stop();
    await this.init();
  }

  async #run(request) {
    const response = await this.#worker.run(request);
    if (request.ids === undefined) {
      for (const { fileName } of response.tests) this.#durations.set(fileName, 0);
      for (const { fileName, timeSpentMs } of response.tests) {
        this.#durations.set(fileName, this.#durations.get(fileName) + timeSpentMs);
      }
    }
    return response;
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "warm-vitest", WarmRunner)];
