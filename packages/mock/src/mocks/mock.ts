import type { HttpHandler } from "msw";
import { assertNoneShadowed } from "../interception/developer-handlers.js";
import type { Listener } from "../interception/gate.js";
import { intercept, lossOf, release, replacementOf } from "../interception/interception.js";
import { type ListenOptions, readListenOptions } from "../interception/listen-options.js";
import { requireMsw } from "../interception/msw.js";
import type { MockOptions } from "../exchange/mock-server.js";
import { respondTo, urlsBelow } from "../exchange/web-exchange.js";
import { NodeMock } from "./node-mock.js";

/**
 * Runs the reference server inside a test process. Requests that the process sends to `baseUrl` or `authUrl` with the global `fetch`,
 * `node:http` or `XMLHttpRequest` are handled in memory and never reach the network. Those of the package undici are not.
 */
export class Mock extends NodeMock {
  readonly #urls: RegExp;
  #handlers: readonly HttpHandler[] | undefined;

  constructor(options: MockOptions = {}) {
    super(options, { validateResponses: true });
    this.#urls = urlsBelow(this.bases);
  }

  /**
   * Handlers for your own MSW server, as an alternative to `listen`: `setupServer(...mock.handlers,
   * ...yours)`.
   *
   * @throws MockError `mock:msw_missing` when MSW is not installed.
   */
  get handlers(): readonly HttpHandler[] {
    // Use a regular expression, because MSW decodes the parameters of path patterns and fails on paths that
    // cannot be decoded.
    this.#handlers ??= [
      requireMsw().http.all(this.#urls, ({ request }) => respondTo(this, this.bases, request)),
    ];
    return this.#handlers;
  }

  /**
   * Starts intercepting the requests of this process. Another MSW server that would listen meanwhile is refused, since MSW 2.13.
   *
   * @throws MockError `mock:msw_missing` when MSW is not installed, `mock:second_server` when another MSW server receives the requests of
   * this process, `mock:shadowed_handler` when a handler is for the address of the mock.
   * @throws TypeError for an option that does not exist or is not valid.
   */
  listen(options: ListenOptions = {}): void {
    const { server, handlers = [], onUnhandledRequest } = readListenOptions(options);
    if (typeof handlers !== "function") assertNoneShadowed(handlers, this.bases);
    const listener: Listener = {
      respond: (request) => (this.#urls.test(request.url) ? respondTo(this, this.bases, request) : undefined),
      handlersFor: typeof handlers === "function" ? handlers : () => handlers,
      onUnhandledRequest: onUnhandledRequest ?? (server ? undefined : "bypass"),
    };
    intercept(this, listener, { bases: this.bases, server });
    this.isClosed = false;
    this.start();
  }

  /**
   * Stops intercepting requests and stops background work.
   *
   * @throws MockError `mock:second_server`, after it has stopped, when another server of MSW before 2.13 has listened since `listen`, and
   * requests may have left for the network. If you passed a server, only while the other one listens.
   */
  async close(): Promise<void> {
    const lost = lossOf(this);
    this.isClosed = true;
    release(this);
    await this.stop();
    if (lost) throw lost;
  }

  protected override assertReached(): void {
    const replaced = replacementOf(this);
    if (replaced) throw replaced;
  }
}

/**
 * Creates a reference server for tests. Call `mock.listen()` before all tests, `mock.reset()` after each
 * test, and `mock.close()` after all tests. `listen` and `handlers` require `msw` 2 or 3.
 * @throws TypeError when `baseUrl` or `settings.authUrl` is not valid, and for an option that does not exist.
 */
export const setupMock = (options: MockOptions = {}): Mock => new Mock(options);
