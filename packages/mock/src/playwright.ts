import { type TestType, test as base, expect } from "@playwright/test";
import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
} from "@playwright/test";
import type { Tenant } from "@mgmt/engine";
import { describeFrozenClock } from "./kit/frozen-clock.js";
import { type TestServer, type TestServerOptions, startTestServer } from "./kit/test-server.js";
import { removeUnstruckFaults } from "./kit/unstruck-faults.js";
import { WatchedTest } from "./kit/watched-test.js";

export type { TestServer, TestServerOptions } from "./kit/test-server.js";
export type { ServedMock } from "./mocks/served-mock.js";
export type { WatchedTest } from "./kit/watched-test.js";
export { expect };

/** Fixtures of a test. */
export interface MockFixtures {
  /** A workspace with its own user, in the server of the worker. */
  tenant: Tenant;
  /** The requests of the test, by pages and by the test itself. Active in every test. */
  requestLog: WatchedTest;
}

/** Fixtures of a worker process. */
export interface MockWorkerFixtures {
  /** Options of the server. Set them with `test.use({ mockOptions: { … } })`. */
  mockOptions: TestServerOptions;
  /** A server of the Management API on a free port, which the tests of the worker share one after the other. */
  mockServer: TestServer;
}

/**
 * Playwright's `test` with fixtures for the Management API. The log of requests is attached to a failed test. A request that the server
 * has no operation for fails the test.
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & MockFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & MockWorkerFixtures
> = base.extend<MockFixtures, MockWorkerFixtures>({
  mockOptions: [{}, { option: true, scope: "worker" }],
  mockServer: [
    async ({ mockOptions }, use) => {
      const server = await startTestServer(mockOptions);
      await use(server);
      await server.close();
    },
    { scope: "worker" },
  ],
  requestLog: [
    async ({ mockServer: { mock }, mockOptions: { assertFaultsStruck = false } }, use, testInfo) => {
      const requestLog = new WatchedTest(testInfo.title);
      const unfollow = mock.followRequests((request) => requestLog.addRequest(request));
      await use(requestLog);
      unfollow();
      const hasPassed = testInfo.status === testInfo.expectedStatus;
      const unmatchedRequestError = requestLog.unmatchedError();
      const unstruckFaultsError = assertFaultsStruck ? removeUnstruckFaults(mock.faults) : undefined;
      const error = unmatchedRequestError ?? (hasPassed ? unstruckFaultsError : undefined);
      if (error || !hasPassed) {
        const clockNote = describeFrozenClock(mock, requestLog.requests);
        if (clockNote !== undefined) requestLog.addNote(clockNote);
        // Reporters for the terminal print attachments of this type.
        await testInfo.attach("requests to the mock", {
          body: requestLog.describe(),
          contentType: "text/plain",
        });
      }
      if (error) throw error;
    },
    { auto: true },
  ],
  // Depends on the log, so that the requests of the test are counted until the end.
  tenant: async ({ mockServer: { mock }, requestLog }, use) => {
    await use(await mock.createTenant(requestLog.name));
  },
});
