import { type TestAPI, test as base } from "vitest";
import { type KitOptions, resolveKitOptions } from "./kit/kit-options.js";
import { createEndReporter } from "./kit/end-reporter.js";
import {
  SharedMock,
  type TestTenant,
  closeOwnMock,
  enterTest,
  leaveTest,
  openOwnMock,
} from "./kit/shared-mock.js";
import { WatchedTest } from "./kit/watched-test.js";
import type { Mock } from "./mocks/mock.js";

export type { KitOptions } from "./kit/kit-options.js";
export type { TestTenant } from "./kit/shared-mock.js";
export type { MswServer } from "./interception/interception.js";
export type { Mock } from "./mocks/mock.js";
export type { WatchedTest } from "./kit/watched-test.js";

/** Fixtures of a test. Each is created when the test asks for it. */
export interface MockFixtures {
  /** A workspace with its own user, in a mock that the tests of the file share. */
  tenant: TestTenant;
  /** A mock of the test's own: state, clock, faults, and base URL. */
  mock: Mock;
  /** Base URL of `mock`, without a trailing slash and without `/v1`. The base URL of the shared mock is `tenant.baseUrl`. */
  baseUrl: string;
  /** The requests of the test to `tenant` and `mock`. */
  requestLog: WatchedTest;
}

/**
 * Returns Vitest's `test` with fixtures for the Management API. They are safe with `test.concurrent`. If a test fails, its requests
 * are added to its errors. A request that the mock has no operation for, or that goes to another host, fails the test that sent it.
 *
 * @param options the options of the mocks and the fixtures.
 * @throws TypeError for an option that does not exist or is not valid.
 */
export const createTest = (options: KitOptions = {}): TestAPI<MockFixtures> => {
  const settings = resolveKitOptions(options);
  const sharedMock = new SharedMock(settings);
  return base.extend<MockFixtures>({
    requestLog: async ({ task, onTestFinished }, use) => {
      const watchedTest = new WatchedTest(task.name);
      const reportTestEnd = createEndReporter({ task, onTestFinished }, watchedTest);
      enterTest(watchedTest);
      await use(watchedTest);
      leaveTest(watchedTest);
      reportTestEnd();
    },
    tenant: async ({ requestLog }, use) => {
      await use(await sharedMock.join(requestLog));
      await sharedMock.leave(requestLog);
    },
    mock: async ({ requestLog }, use) => {
      const mock = openOwnMock(requestLog, settings);
      await use(mock);
      await closeOwnMock(mock, requestLog, settings);
    },
    baseUrl: async ({ mock }, use) => {
      await use(mock.baseUrl);
    },
  });
};

/** Vitest's `test` with the fixtures `tenant`, `mock`, `baseUrl`, and `requestLog`, with the default options. See `createTest`. */
export const test: TestAPI<MockFixtures> = createTest();
