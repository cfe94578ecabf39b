import { type TestAPI, test as base } from "vitest";
import { assertEngineOptions } from "@mgmt/engine/internal";
import { setupMockWorker } from "./browser/setup-mock-worker.js";
import { type StartOptions, assertStartOptions } from "./browser/start-options.js";
import type { WorkerMock, WorkerMockOptions } from "./browser/worker-mock.js";
import { describeFrozenClock } from "./kit/frozen-clock.js";
import { createEndReporter } from "./kit/end-reporter.js";
import { removeUnstruckFaults } from "./kit/unstruck-faults.js";
import { WatchedTest } from "./kit/watched-test.js";

export type { StartOptions } from "./browser/start-options.js";
export type { WorkerMock } from "./browser/worker-mock.js";
export type { WatchedTest } from "./kit/watched-test.js";

/** Settings of the fixtures: the options of `setupMockWorker` and `mock.start()`, and options of their own. */
export interface PageKitOptions extends Omit<WorkerMockOptions, "persist">, StartOptions {
  /** Whether a test fails if a fault that it has added has applied to no request. Default: false. */
  readonly assertFaultsStruck?: boolean | undefined;
}

/** Fixtures of a test. Each is created when the test asks for it. */
export interface PageFixtures {
  /** A mock of the test's own, which receives the requests of the page until the test ends. */
  mock: WorkerMock;
  /** Base URL of `mock`, without a trailing slash and without `/v1`. */
  baseUrl: string;
  /** The requests of the test to `mock`. */
  requestLog: WatchedTest;
}

/**
 * Returns Vitest's `test` with fixtures for the Management API, for tests that run in a browser. A page has one mock at a time, so they
 * are not for `test.concurrent`. If a test fails, its requests are added to its errors. A request that the mock has no operation for
 * fails the test that sent it.
 *
 * @param options the options of the mocks and the fixtures.
 * @throws TypeError for an option that does not exist or is not valid.
 */
export const createTest = (options: PageKitOptions = {}): TestAPI<PageFixtures> => {
  const { handlers, onUnhandledRequest, workerUrl, scope, assertFaultsStruck, ...mockOptions } = options;
  assertEngineOptions(mockOptions, ["baseUrl"]);
  const startOptions = { handlers, onUnhandledRequest, workerUrl, scope };
  assertStartOptions(startOptions);
  return base.extend<PageFixtures>({
    requestLog: async ({ task, onTestFinished }, use) => {
      const watchedTest = new WatchedTest(task.name);
      const reportTestEnd = createEndReporter({ task, onTestFinished }, watchedTest);
      await use(watchedTest);
      reportTestEnd();
    },
    mock: async ({ requestLog }, use) => {
      const mock = setupMockWorker({ validateResponses: true, ...mockOptions });
      mock.followRequests((request) => requestLog.addRequest(request));
      await mock.start(startOptions);
      await use(mock);
      const clockNote = describeFrozenClock(mock, requestLog.requests);
      if (clockNote !== undefined) requestLog.addNote(clockNote);
      const unstruckFaultsError = assertFaultsStruck === true ? removeUnstruckFaults(mock.faults) : undefined;
      if (unstruckFaultsError) requestLog.failIfPassed(unstruckFaultsError);
      await mock.stop();
    },
    baseUrl: async ({ mock }, use) => {
      await use(mock.baseUrl);
    },
  });
};

/** Vitest's `test` with the fixtures `mock`, `baseUrl`, and `requestLog`, with the default options. See `createTest`. */
export const test: TestAPI<PageFixtures> = createTest();
