import { AsyncLocalStorage } from "node:async_hooks";
import type { LoggedRequest, Tenant } from "@mgmt/engine";
import { assertNoneShadowed, renew } from "../interception/developer-handlers.js";
import type { UnhandledRequestStrategy } from "../interception/gate.js";
import { isReceiving, lossOf } from "../interception/interception.js";
import type { ListenOptions } from "../interception/listen-options.js";
import { Mock } from "../mocks/mock.js";
import { frozenClockNote } from "./frozen-clock.js";
import type { KitSettings } from "./kit-options.js";
import { unstruckError } from "./unstruck-faults.js";
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
const running = new Set<WatchedTest>();

/** Marks the rest of the current asynchronous context as part of a test. */
export const enterTest = (test: WatchedTest): void => {
  running.add(test);
  currentTest.enterWith(test);
};

export const leaveTest = (test: WatchedTest): void => void running.delete(test);

const senderInContext = (): WatchedTest | undefined => {
  const test = currentTest.getStore();
  return test && running.has(test) ? test : undefined;
};

/**
 * A mock that intercepts requests while a test uses it, and assigns each request to the test that sent it. The credential of a
 * request names its tenant. A request without a valid credential belongs to the test in whose asynchronous context it was sent. If
 * that is not known either, it counts for every test that is running.
 */
export class SharedMock {
  readonly #settings: KitSettings;
  readonly #joined = new Set<WatchedTest>();
  readonly #byWorkspace = new Map<string, WatchedTest>();
  #mock: Mock | undefined;

  constructor(settings: KitSettings) {
    this.#settings = settings;
  }

  /** Starts a test, with a tenant of its own. */
  async join(test: WatchedTest): Promise<TestTenant> {
    const mock = this.#enter(test);
    const tenant = await mock.createTenant(test.name);
    this.#byWorkspace.set(tenant.workspace.id, test);
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

  /** Ends a test. The mock stops intercepting requests with the last one. */
  async leave(test: WatchedTest): Promise<void> {
    this.#joined.delete(test);
    for (const [id, owner] of this.#byWorkspace) if (owner === test) this.#byWorkspace.delete(id);
    const mock = this.#mock;
    if (!mock) return;
    checkEnd(mock, test, this.#settings);
    if (this.#joined.size > 0) return;
    await finish(mock, test, this.#settings);
    // The next test that uses this mock may be of another file.
    mock.faults.clear();
  }

  #enter(test: WatchedTest): Mock {
    const mock = (this.#mock ??= this.#open());
    if (this.#joined.size === 0) {
      listen(mock, this.#settings, () => this.#senders());
    }
    this.#joined.add(test);
    return mock;
  }

  #open(): Mock {
    const mock = new Mock(this.#settings.mockOptions);
    mock.followRequests((request) => {
      for (const test of this.#senders(request)) test.add(request);
    });
    return mock;
  }

  #senders(request?: LoggedRequest): Iterable<WatchedTest> {
    const owner = this.#byWorkspace.get(request?.principal?.workspaceId ?? "");
    if (owner) return [owner];
    const sender = senderInContext();
    if (sender === undefined) return this.#joined;
    return this.#joined.has(sender) ? [sender] : [];
  }
}

let ownMocks = 0;

/** Starts a mock that only one test uses, with a base URL of its own. */
export const openOwnMock = (test: WatchedTest, settings: KitSettings): Mock => {
  ownMocks += 1;
  const baseUrl = `https://api-${String(ownMocks)}.mgmt.test`;
  const mock = new Mock({ ...settings.mockOptions, baseUrl });
  mock.followRequests((request) => test.add(request));
  listen(mock, settings, () => ((senderInContext() ?? test) === test ? [test] : []));
  return mock;
};

/** Closes the mock of a test. */
export const closeOwnMock = async (mock: Mock, test: WatchedTest, settings: KitSettings): Promise<void> => {
  checkEnd(mock, test, settings);
  await finish(mock, test, settings);
};

/** @param senders returns the tests of the mock that may have sent the current request. */
const listen = (
  mock: Mock,
  { server, handlers, passThrough }: KitSettings,
  senders: () => Iterable<WatchedTest>,
): void => {
  assertNoneShadowed(handlers, [mock.baseUrl, mock.authUrl]);
  const options: ListenOptions = {
    handlers: () => ([...senders()].length > 0 ? handlers : []),
    onUnhandledRequest: (request) => judgeForeign(request, passThrough, senders()),
  };
  mock.listen({ ...options, ...(server && { server }) });
};

/** Adds the problems of its mock to a test that ends. */
const checkEnd = (mock: Mock, test: WatchedTest, { server }: KitSettings): void => {
  const lost = lossOf(mock);
  if (lost) test.fail(lost);
  if (server && test.requests.length === 0 && !isReceiving(mock)) {
    test.addNote(
      "The server of createTest({ server }) is not listening. If the test sends requests, call server.listen() before it, and start no other " +
        "server, which ends both when it is closed.",
    );
  }
  const frozen = frozenClockNote(mock, test.requests);
  if (frozen !== undefined) test.addNote(frozen);
};

/** Closes a mock that no test uses any longer. */
const finish = async (
  mock: Mock,
  test: WatchedTest,
  { handlers, assertFaultsStruck }: KitSettings,
): Promise<void> => {
  const unstruck = assertFaultsStruck ? unstruckError(mock.faults) : undefined;
  if (unstruck) test.failIfPassed(unstruck);
  renew(handlers);
  try {
    await mock.close();
  } catch (error) {
    // The test has failed for this reason already.
    if (!(error instanceof MockError)) throw error;
  }
};

/** Decides about a request that no mock handles, and adds it to the tests that may have sent it. */
const judgeForeign = (
  { method, url }: Request,
  passThrough: (url: URL) => boolean,
  senders: Iterable<WatchedTest>,
): UnhandledRequestStrategy => {
  const target = new URL(url);
  if (passThrough(target)) return "bypass";
  const tests = [...senders];
  for (const test of tests) test.addUnmatched(`${method} ${target.origin}${target.pathname} → another host`);
  return tests.every(({ isUnmatchedAllowed }) => isUnmatchedAllowed) ? "bypass" : "error";
};
