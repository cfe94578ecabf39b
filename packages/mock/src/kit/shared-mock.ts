import { AsyncLocalStorage } from "node:async_hooks";
import type { LoggedRequest, Tenant } from "@mgmt/engine";
import { assertNoneShadowed, restoreHandlers } from "../interception/developer-handlers.js";
import type { UnhandledRequestStrategy } from "../interception/shared-msw-handler.js";
import { isReceiving, findInterceptionError } from "../interception/interception.js";
import type { ListenOptions } from "../interception/listen-options.js";
import { Mock } from "../mocks/mock.js";
import { describeFrozenClock } from "./frozen-clock.js";
import type { KitSettings } from "./kit-options.js";
import { removeUnstruckFaults } from "./unstruck-faults.js";
import { MockError } from "../errors/mock-error.js";
import type { WatchedTest } from "./watched-test.js";

/** A tenant of the mock that the tests of a file share. */
export interface TestTenant extends Pick<Tenant, "workspace" | "user" | "serviceToken" | "tokens" | "seed"> {
  /** The mock that the tests share. Changes of its clock, faults, and rate limit affect all of them. */
  readonly mock: Mock;
  /** Base URL of the API, without a trailing slash and without `/v1`. */
  readonly baseUrl: string;
  /** Sends a request to the mock. Works like the global `fetch`. */
  readonly fetch: typeof fetch;
}

/** The test that the current asynchronous context belongs to. */
const currentTest = new AsyncLocalStorage<WatchedTest>();

/** The tests that have not ended. A context can outlive its test. */
const runningTests = new Set<WatchedTest>();

/** Marks the rest of the current asynchronous context as part of a test. */
export const enterTest = (test: WatchedTest): void => {
  runningTests.add(test);
  currentTest.enterWith(test);
};

/** Ends the test that `enterTest` has begun. */
export const leaveTest = (test: WatchedTest): void => void runningTests.delete(test);

const findRunningTest = (): WatchedTest | undefined => {
  const test = currentTest.getStore();
  return test && runningTests.has(test) ? test : undefined;
};

/**
 * A mock that intercepts requests while a test uses it, and assigns each request to the test that sent it. The credential of a
 * request names its tenant. A request without a valid credential belongs to the test in whose asynchronous context it was sent. If
 * that is not known either, it counts for every test that is running.
 */
export class SharedMock {
  readonly #settings: KitSettings;
  readonly #joinedTests = new Set<WatchedTest>();
  readonly #testsByWorkspace = new Map<string, WatchedTest>();
  #mock: Mock | undefined;

  constructor(settings: KitSettings) {
    this.#settings = settings;
  }

  /** Starts a test, with a tenant of its own. */
  async join(test: WatchedTest): Promise<TestTenant> {
    const mock = this.#addTest(test);
    const tenant = await mock.createTenant(test.name);
    this.#testsByWorkspace.set(tenant.workspace.id, test);
    return {
      mock,
      baseUrl: mock.baseUrl,
      // Getters of a class are not copied by a spread.
      get workspace() {
        return tenant.workspace;
      },
      get user() {
        return tenant.user;
      },
      get serviceToken() {
        return tenant.serviceToken;
      },
      tokens: tenant.tokens,
      seed: tenant.seed,
      fetch: (input, init) => currentTest.run(test, () => mock.fetch(input, init)),
    };
  }

  /** Finishes a test. The mock stops intercepting requests with the last one. */
  async leave(test: WatchedTest): Promise<void> {
    this.#joinedTests.delete(test);
    for (const [id, owner] of this.#testsByWorkspace) if (owner === test) this.#testsByWorkspace.delete(id);
    const mock = this.#mock;
    if (!mock) return;
    addMockProblems(mock, test, this.#settings);
    if (this.#joinedTests.size > 0) return;
    await closeUnusedMock(mock, test, this.#settings);
    // The next test that uses this mock may be of another file.
    mock.faults.clear();
  }

  #addTest(test: WatchedTest): Mock {
    const mock = (this.#mock ??= this.#openMock());
    if (this.#joinedTests.size === 0) {
      listenForTests(mock, this.#settings, () => this.#listPossibleSenders());
    }
    this.#joinedTests.add(test);
    return mock;
  }

  #openMock(): Mock {
    const mock = new Mock(this.#settings.mockOptions);
    mock.followRequests((request) => {
      for (const test of this.#listPossibleSenders(request)) test.addRequest(request);
    });
    return mock;
  }

  #listPossibleSenders(request?: LoggedRequest): Iterable<WatchedTest> {
    const owner = this.#testsByWorkspace.get(request?.principal?.workspaceId ?? "");
    if (owner) return [owner];
    const sender = findRunningTest();
    if (sender === undefined) return this.#joinedTests;
    return this.#joinedTests.has(sender) ? [sender] : [];
  }
}

let ownMockCount = 0;

/** Starts a mock that only one test uses, with a base URL of its own. */
export const openOwnMock = (test: WatchedTest, settings: KitSettings): Mock => {
  ownMockCount += 1;
  const baseUrl = `https://api-${String(ownMockCount)}.mgmt.test`;
  const mock = new Mock({ ...settings.mockOptions, baseUrl });
  mock.followRequests((request) => test.addRequest(request));
  listenForTests(mock, settings, () => ((findRunningTest() ?? test) === test ? [test] : []));
  return mock;
};

/** Closes the mock of a test. */
export const closeOwnMock = async (mock: Mock, test: WatchedTest, settings: KitSettings): Promise<void> => {
  addMockProblems(mock, test, settings);
  await closeUnusedMock(mock, test, settings);
};

/** @param listSenders returns the tests of the mock that may have sent the current request. */
const listenForTests = (
  mock: Mock,
  { server, handlers, passThrough }: KitSettings,
  listSenders: () => Iterable<WatchedTest>,
): void => {
  assertNoneShadowed(handlers, [mock.baseUrl, mock.authUrl]);
  const options: ListenOptions = {
    handlers: () => ([...listSenders()].length > 0 ? handlers : []),
    onUnhandledRequest: (request) => selectForeignStrategy(request, passThrough, listSenders()),
  };
  mock.listen({ ...options, ...(server && { server }) });
};

/** Adds the problems of its mock to a test that ends. */
const addMockProblems = (mock: Mock, test: WatchedTest, { server }: KitSettings): void => {
  const interceptionError = findInterceptionError(mock);
  if (interceptionError) test.failAtEnd(interceptionError);
  if (server && test.requests.length === 0 && !isReceiving(mock)) {
    test.addNote(
      "The server of createTest({ server }) is not listening. If the test sends requests, call server.listen() before it, and start no other " +
        "server, which ends both when it is closed.",
    );
  }
  const clockNote = describeFrozenClock(mock, test.requests);
  if (clockNote !== undefined) test.addNote(clockNote);
};

/** Closes a mock that no test uses any longer. */
const closeUnusedMock = async (
  mock: Mock,
  test: WatchedTest,
  { handlers, assertFaultsStruck }: KitSettings,
): Promise<void> => {
  const unstruckFaultsError = assertFaultsStruck ? removeUnstruckFaults(mock.faults) : undefined;
  if (unstruckFaultsError) test.failIfPassed(unstruckFaultsError);
  restoreHandlers(handlers);
  try {
    await mock.close();
  } catch (error) {
    // The test has failed for this reason already.
    if (!(error instanceof MockError)) throw error;
  }
};

/** Decides about a request that no mock handles, and adds it to the tests that may have sent it. */
const selectForeignStrategy = (
  { method, url }: Request,
  passThrough: (url: URL) => boolean,
  senders: Iterable<WatchedTest>,
): UnhandledRequestStrategy => {
  const target = new URL(url);
  if (passThrough(target)) return "bypass";
  const tests = [...senders];
  for (const test of tests)
    test.addUnmatchedLine(`${method} ${target.origin}${target.pathname} → another host`);
  return tests.every(({ isUnmatchedAllowed }) => isUnmatchedAllowed) ? "bypass" : "error";
};
