import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Prints at the end how many screens were compared, on which versions of Node.js, and how long it took. */
export class ScreensReporter implements Reporter {
  #startedAt = 0;

  onTestRunStart(): void {
    this.#startedAt = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed");
    const screens = passed.reduce((sum, test) => sum + screensOf(test), 0);
    const versions = new Set(passed.flatMap((test) => versionOf(test) ?? []));
    const seconds = Math.round((performance.now() - this.#startedAt) / 1000);
    process.stdout.write(
      `\n${String(screens)} screens and ${String(passed.length)} of ${String(tests.length)} tests passed ` +
        `on ${String(versions.size)} ${versions.size === 1 ? "version" : "versions"} of Node.js ` +
        `(${[...versions].sort().join(", ")}) in ${String(seconds)} s\n`,
    );
  }
}

const screensOf = (test: TestCase): number =>
  test
    .annotations()
    .filter(({ type }) => type === "screens")
    .reduce((sum, { message }) => sum + Number(message), 0);

/** The title of the group of a test ends with the version. */
const versionOf = ({ fullName }: TestCase): string | undefined => /on Node\.js (\d+)/.exec(fullName)?.[1];
