import { join, relative } from "node:path";
import { startTests } from "@vitest/runner";
import { TestRunner } from "vitest";

const channelName = "mutation-tests";

const testsOf = ({ tasks }) => tasks.flatMap((task) => (task.type === "suite" ? testsOf(task) : [task]));

const nameOf = ({ name, suite }) => (suite ? `${nameOf(suite)} ${name}`.trim() : name);

const idOf = (test) => `${relative(process.cwd(), test.file.filepath)}#${nameOf(test)}`;

/** Skips the tests that are not wanted, and the suites that have no other tests. */
const skipOthers = (suite, ids) => {
  for (const task of suite.tasks) {
    if (task.type === "suite") skipOthers(task, ids);
    else if (!ids.has(idOf(task))) task.mode = "skip";
  }
  if (suite.tasks.every(({ mode }) => mode === "skip" || mode === "todo")) suite.mode = "skip";
};

/** Returns the message of the first error in a test or in a hook of a suite around it. */
const failureIn = (task) =>
  task === undefined
    ? undefined
    : (task.result?.errors?.[0]?.message ??
      failureIn(task.suite ?? (task.file === task ? undefined : task.file)));

/** Runs the tests of one request. Unlike Vitest's runner, it loads a test file again and reports nothing. */
class RequestRunner extends TestRunner {
  constructor(outer, namespace, { ids, mutant, hitLimit, coverage }) {
    super(outer.config);
    this.moduleRunner = outer.moduleRunner;
    this.__setTraces(outer._otel);
    this.ids = ids && new Set(ids);
    this.mutant = mutant;
    this.coverage = coverage;
    this.namespace = namespace;
    namespace.hitLimit = hitLimit;
    namespace.hitCount = 0;
  }

  importFile(path, source) {
    const { evaluatedModules } = this.workerState;
    const module = evaluatedModules.getModuleById(path);
    if (module) evaluatedModules.invalidateModule(module);
    return super.importFile(path, source);
  }

  onCollected([file]) {
    if (this.ids) skipOthers(file, this.ids);
    this.namespace.activeMutant = this.mutant;
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    if (this.coverage === "perTest") this.namespace.currentTestId = idOf(test);
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    this.namespace.currentTestId = undefined;
    if (this.mutant !== undefined && test.result?.state === "fail") this.cancelRun = true;
  }

  onAfterRunSuite() {}
}

const runRequest = async (outer, { files, namespace: name, ...request }) => {
  const namespace = (globalThis[name] ??= {});
  const tests = [];
  if (request.coverage) {
    // The instrumented files keep a reference to this object.
    namespace.mutantCoverage = Object.assign(namespace.mutantCoverage ?? {}, { static: {}, perTest: {} });
  }
  for (const path of files) {
    const runner = new RequestRunner(outer, namespace, request);
    const [file] = await startTests([join(process.cwd(), path)], runner);
    namespace.activeMutant = undefined;
    for (const test of testsOf(file)) {
      const failureMessage = failureIn(test);
      tests.push({
        id: idOf(test),
        name: nameOf(test),
        fileName: path,
        timeSpentMs: test.result?.duration ?? 0,
        state: failureMessage === undefined ? test.result?.state : "fail",
        failureMessage,
      });
    }
    if (request.mutant !== undefined && tests.some(({ state }) => state === "fail")) break;
  }
  return {
    tests: tests.filter(({ id }) => !request.ids || request.ids.includes(id)),
    hitCount: namespace.hitCount,
    mutantCoverage: request.coverage && namespace.mutantCoverage,
  };
};

/** The test runner of the worker. In place of the file that Vitest gives it, it runs what `warm-runner.mjs` asks for. */
export default class WarmLoop extends TestRunner {
  async onBeforeCollect() {
    const channel = new BroadcastChannel(channelName);
    await new Promise((resolve) => {
      channel.onmessage = ({ data }) => {
        if (data.stop) resolve();
        else
          runRequest(this, data).then(
            (response) => channel.postMessage(response),
            (error) => channel.postMessage({ error }),
          );
      };
      channel.postMessage({ ready: true });
    });
    channel.close();
    throw new Error("stopped");
  }
}
