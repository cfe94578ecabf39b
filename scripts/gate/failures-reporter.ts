import { writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Reporter, SerializedError, TestModule, TestSuite, Vitest } from "vitest/node";
import type { FailedFile, TestRun } from "./test-run.js";

/** Variable with the path of the file that the reporter writes. */
export const reportVariable = "MGMT_TEST_REPORT";

/** Writes the counts and the failures of a run as JSON of the type {@link TestRun}. */
export class FailuresReporter implements Reporter {
  readonly #path: string;
  #root = "";

  constructor(path: string) {
    this.#path = path;
  }

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const files = modules.filter((module) => module.state() === "failed").map(failuresOf);
    const unhandled: string[] = [];
    for (const error of unhandledErrors) {
      const text = `unhandled ${error.name ?? "error"}: ${firstLine(error.message)}`;
      const file = this.#fileOf(error);
      const known = files.find((each) => each.file === file);
      // Vitest names the file that was running. Its tests may all have passed.
      if (file === undefined) unhandled.push(text);
      else if (known) known.failures.push({ message: text });
      else files.push({ file, failures: [{ message: text }] });
    }
    const run: TestRun = {
      passed: count(modules, "passed"),
      failed: count(modules, "failed"),
      files,
      unhandled,
    };
    writeFileSync(this.#path, JSON.stringify(run));
  }

  #fileOf(error: SerializedError): string | undefined {
    const path: unknown = error["VITEST_TEST_PATH"];
    return typeof path === "string" ? relative(this.#root, resolve(this.#root, path)) : undefined;
  }
}

/**
 * Returns the reporters of a configuration: that of Vitest, the one that marks failures in the files of a pull request under GitHub
 * Actions, and ours in a run of the gate.
 */
export const reporters = (): (string | Reporter)[] => {
  const path = process.env[reportVariable];
  const annotations = process.env["GITHUB_ACTIONS"] === "true" ? ["github-actions"] : [];
  return ["default", ...annotations, ...(path ? [new FailuresReporter(path)] : [])];
};

const failuresOf = (module: TestModule): FailedFile => ({
  file: module.relativeModuleId,
  failures: [
    // Errors of hooks, and of the import of the file, do not belong to a test.
    ...[...module.errors(), ...suitesOf(module).flatMap((suite) => suite.errors())].map(({ message }) => ({
      message: firstLine(message),
    })),
    ...[...module.children.allTests("failed")].map((test) => ({
      test: test.fullName,
      message: firstLine(test.result().errors?.[0]?.message),
    })),
  ],
});

const suitesOf = (module: TestModule): TestSuite[] => [...module.children.allSuites()];

const firstLine = (text = ""): string => text.split("\n", 1)[0]?.slice(0, 160) ?? "";

const count = (modules: readonly TestModule[], state: "passed" | "failed"): number =>
  modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);
