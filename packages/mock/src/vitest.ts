import { type TestAPI, test as base } from "vitest";
import {
  type KitOptions,
  SharedMock,
  type TestTenant,
  enterTest,
  leaveTest,
  openOwnMock,
} from "./kit/shared-mock.js";
import { WatchedTest } from "./kit/watched-test.js";
import type { Mock } from "./mock.js";
import { mockErrors } from "./mock-error.js";

export type { KitOptions, TestTenant } from "./kit/shared-mock.js";
export type { WatchedTest } from "./kit/watched-test.js";

/** Fixtures of a test. Each is created when the test asks for it. */
export interface MockFixtures {
  /** A workspace with its own user, in a mock that the tests of the file share. */
  tenant: TestTenant;
  /** A mock of the test's own: state, clock, faults, and base URL. */
  mock: Mock;
  /** The requests of the test to `tenant` and `mock`. */
  requestLog: WatchedTest;
}

/**
 * Returns Vitest's `test` with fixtures for the Management API. They are safe with `test.concurrent`. If a test fails, its requests
 * are added to its errors. A request that the mock has no operation for, or that goes to another host, fails the test that sent it.
 *
 * @param options of the mocks.
 */
export const createTest = (options: KitOptions = {}): TestAPI<MockFixtures> => {
  const shared = new SharedMock(options);
  return base.extend<MockFixtures>({
    requestLog: async ({ task }, use) => {
      const test = new WatchedTest(task.name);
      enterTest(test);
      await use(test);
      leaveTest(test);
      const unmatched = test.unmatchedError();
      if (unmatched) throw unmatched;
      if (task.result?.state === "fail") throw mockErrors.failed(test.describe());
    },
    tenant: async ({ requestLog }, use) => {
      await use(await shared.join(requestLog));
      await shared.leave(requestLog);
    },
    mock: async ({ requestLog }, use) => {
      const mock = openOwnMock(requestLog, options);
      await use(mock);
      await mock.close();
    },
  });
};

/** Vitest's `test` with the fixtures `tenant`, `mock`, and `requestLog`, with the default options. See `createTest`. */
export const test: TestAPI<MockFixtures> = createTest();
