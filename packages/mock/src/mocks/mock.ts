import type { HttpHandler } from "msw";
import type { ListenOptions } from "../interception/listen-options.js";
import { ProcessInterception } from "../interception/process-interception.js";
import type { MockOptions } from "./mock-server.js";
import { NodeMock } from "./node-mock.js";

/**
 * Runs the reference server inside a test process. Requests that the process sends to `baseUrl` or `authUrl` with the global `fetch`,
 * `node:http` or `XMLHttpRequest` are handled in memory and never reach the network. Those of the package undici are not.
 */
export class Mock extends NodeMock {
  readonly #interception: ProcessInterception;

  constructor(options: MockOptions = {}) {
    super(options, { validateResponses: true });
    this.#interception = new ProcessInterception(this, this.bases);
  }

  /**
   * Handlers for your own MSW server, as an alternative to `listen`: `setupServer(...mock.handlers,
   * ...yours)`.
   *
   * @throws MockError `mock:msw_missing` when MSW is not installed.
   */
  get handlers(): readonly HttpHandler[] {
    return this.#interception.handlers;
  }

  /**
   * Starts intercepting the requests of this process. Another MSW server that would listen meanwhile is refused, since MSW 2.13.
   *
   * @throws MockError `mock:msw_missing` when MSW is not installed, `mock:second_server` when another MSW server receives the requests of
   * this process, `mock:shadowed_handler` when a handler is for the address of the mock.
   * @throws TypeError for an option that does not exist or is not valid.
   */
  listen(options: ListenOptions = {}): void {
    this.#interception.start(options);
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
    const lost = this.#interception.stop();
    this.isClosed = true;
    await this.stop();
    if (lost) throw lost;
  }

  protected override assertReached(): void {
    this.#interception.assertReceiving();
  }
}

/**
 * Creates a reference server for tests. Call `mock.listen()` before all tests, `mock.reset()` after each
 * test, and `mock.close()` after all tests. `listen` and `handlers` require `msw` 2 or 3.
 * @throws TypeError when `baseUrl` or `settings.authUrl` is not valid, and for an option that does not exist.
 */
export const setupMock = (options: MockOptions = {}): Mock => new Mock(options);
