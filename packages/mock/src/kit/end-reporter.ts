import type { TestContext } from "vitest";
import type { WatchedTest } from "./watched-test.js";

/**
 * Lets a test of Vitest fail with the problems of its mock. An error that a fixture throws at its end fails all later tries of a test with
 * `retry`, because Vitest ends the fixtures of the first try again.
 *
 * @param context the context of the test.
 * @returns a function to call when the fixtures of the test have finished.
 */
export const createEndReporter = (
  { task, onTestFinished }: Pick<TestContext, "task" | "onTestFinished">,
  test: WatchedTest,
): (() => void) => {
  let error: Error | undefined;
  let hasFinished = false;
  onTestFinished(() => {
    hasFinished = true;
    if (error) throw error;
  });
  return () => {
    error = test.errorAtEnd(task.result?.state === "fail");
    // Fixtures that `aroundEach` uses end later than the test.
    if (hasFinished && error) throw error;
  };
};
