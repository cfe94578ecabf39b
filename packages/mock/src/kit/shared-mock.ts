import { AsyncLocalStorage } from "node:async_hooks";
import type { LoggedRequest, Tenant } from "@mgmt/engine";
import type { UnhandledRequestStrategy } from "../interception.js";
import { Mock, type MockOptions } from "../mock.js";
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

/** Hosts that a test may reach: its own servers. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);

/** Settings of the fixtures. */
export interface KitOptions extends MockOptions {
  /**
   * Returns whether a test may send a request to a host other than the mock. Other requests fail. Default: the hosts of this
   * machine, such as `localhost`.
   */
  passThrough?: (url: URL) => boolean;
}

/**
 * A mock that intercepts requests while a test uses it, and assigns each request to the test that sent it. The credential of a
 * request names its tenant. A request without a valid credential belongs to the test in whose asynchronous context it was sent. If
 * that is not known either, it counts for every test that is running.
 */
export class SharedMock {
  readonly #passThrough: (url: URL) => boolean;
  readonly #options: MockOptions;
  readonly #joined = new Set<WatchedTest>();
  readonly #byWorkspace = new Map<string, WatchedTest>();
  #mock: Mock | undefined;

  constructor({ passThrough = isLoopback, ...options }: KitOptions) {
    this.#passThrough = passThrough;
    this.#options = options;
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
    if (this.#joined.size === 0) await this.#mock?.close();
  }

  #enter(test: WatchedTest): Mock {
    this.#joined.add(test);
    const mock = (this.#mock ??= this.#open());
    if (this.#joined.size === 1) {
      mock.listen({
        onUnhandledRequest: (request) => judgeForeign(request, this.#passThrough, this.#senders()),
      });
    }
    return mock;
  }

  #open(): Mock {
    const mock = new Mock(this.#options);
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
export const openOwnMock = (
  test: WatchedTest,
  { passThrough = isLoopback, ...options }: KitOptions,
): Mock => {
  ownMocks += 1;
  const mock = new Mock({ ...options, baseUrl: `https://api-${String(ownMocks)}.mgmt.test` });
  mock.followRequests((request) => test.add(request));
  mock.listen({
    onUnhandledRequest: (request) => {
      const sender = senderInContext() ?? test;
      return judgeForeign(request, passThrough, sender === test ? [test] : []);
    },
  });
  return mock;
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
