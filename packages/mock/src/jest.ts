import { expect, test as jestTest } from "@jest/globals";
import { type JestTest, type JestTestBody, createJestTest } from "@mgmt/internal/testing/jest-test";
import { describeFrozenClock } from "./kit/frozen-clock.js";
import { type TestServerOptions, startTestServer } from "./kit/test-server.js";
import type { ServedMock } from "./mocks/served-mock.js";
import { WatchedTest } from "./kit/watched-test.js";

export type { TestServerOptions } from "./kit/test-server.js";
export type { ServedMock } from "./mocks/served-mock.js";
export type { WatchedTest } from "./kit/watched-test.js";

/** The fixtures of a test: a server of its own. */
export interface MockContext {
  /** State, clock, faults, tokens, seeds: everything that `setupMock` returns, except interception. */
  readonly mock: ServedMock;
  /** Base URL of the API, without a trailing slash and without `/v1`. */
  readonly baseUrl: string;
  /** The requests of the test. */
  readonly requestLog: WatchedTest;
}

/** The body of a test. `row` has the values of `test.each`. */
export type MockTestBody<Row extends readonly unknown[] = []> = JestTestBody<MockContext, Row>;

/** Jest's `test`, whose body gets a `MockContext`. */
export type MockTest = JestTest<MockContext>;

const runWithMock = async (
  name: string,
  body: (context: MockContext) => void | Promise<void>,
  options: TestServerOptions,
): Promise<void> => {
  const requestLog = new WatchedTest(name);
  const { mock, baseUrl, close } = await startTestServer(options);
  mock.followRequests((request) => requestLog.addRequest(request));
  try {
    await body({ mock, baseUrl, requestLog });
  } catch (error) {
    const clockNote = describeFrozenClock(mock, requestLog.requests);
    if (clockNote !== undefined) requestLog.addNote(clockNote);
    addToMessage(error, `\n\n${requestLog.describe()}`);
    throw error;
  } finally {
    await close();
  }
  const unmatchedRequestError = requestLog.unmatchedError();
  if (unmatchedRequestError) throw unmatchedRequestError;
  if (options.assertFaultsStruck) mock.faults.assertStruck();
};

/** Jest prints the stack of an error, which begins with its message. */
const addToMessage = (error: unknown, text: string): void => {
  // Errors of Jest are instances of another realm's `Error`.
  if (typeof error !== "object" || error === null || !("message" in error)) return;
  const { message } = error;
  if (typeof message !== "string") return;
  if ("stack" in error && typeof error.stack === "string") {
    error.stack = error.stack.replace(message, () => message + text);
  }
  error.message = message + text;
};

/**
 * Wraps the body of a test, for Jest functions that `test` does not have: `test.each(rows)("…", withMock(({ mock }, row) => …))`.
 *
 * @param options the options of the test's server.
 */
export const withMock =
  <Row extends readonly unknown[]>(
    body: MockTestBody<Row>,
    options: TestServerOptions = {},
  ): ((...row: Row) => Promise<void>) =>
  (...row) =>
    runWithMock(expect.getState().currentTestName ?? "test", (context) => body(context, ...row), options);

/**
 * Returns Jest's `test` with a server of the Management API for each test. It is safe with `test.concurrent`. The requests of a failed
 * test are added to its error. A request that the server has no operation for fails the test that sent it.
 *
 * @param options the options of the servers.
 */
export const createTest = (options: TestServerOptions = {}): MockTest =>
  createJestTest<MockContext>(jestTest, (name, body) => runWithMock(name, body, options));

/** Jest's `test` with a server of the Management API for each test, with the default options. See `createTest`. */
export const test: MockTest = createTest();

/** The same as `test`. */
export const it: MockTest = test;
