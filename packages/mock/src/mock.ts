import type { HttpHandler } from "msw";
import { type EngineOptions, assertEngineOptions } from "@mgmt/engine";
import { type UnhandledRequestStrategy, intercept, release } from "./interception.js";
import { requireMsw } from "./msw.js";
import { RecordableEngine } from "./record/recordable-engine.js";
import { respondTo, baseOf } from "./web-exchange.js";

export interface MockOptions extends Omit<EngineOptions, "settings"> {
  /** Settings to change, such as the durations of life cycles. Default: those of `defaultSettings`. */
  settings?: EngineOptions["settings"];
  /** Base URL of the API, without a trailing slash and without `/v1`. Default: `https://api.mgmt.test`. */
  baseUrl?: string;
}

export interface ListenOptions {
  /**
   * What to do with requests to other hosts, or a function that decides for each. Requests to the base URL are always handled.
   * Default: `bypass`.
   */
  onUnhandledRequest?: UnhandledRequestStrategy | ((request: Request) => UnhandledRequestStrategy);
}

/**
 * Runs the reference server inside a test process. Requests that any client sends to `baseUrl` or `authUrl`
 * are handled in memory and never reach the network.
 */
export class Mock extends RecordableEngine {
  readonly #bases: readonly string[];
  #handlers: readonly HttpHandler[] | undefined;

  constructor(options: MockOptions = {}) {
    assertEngineOptions(options, ["baseUrl"]);
    const { baseUrl, settings, ...rest } = options;
    super({
      validateResponses: true,
      ...rest,
      settings: { ...settings, ...(baseUrl !== undefined && { baseUrl }) },
    });
    this.#bases = [this.settings.baseUrl, this.settings.authUrl].map(baseOf);
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
    const everything = new RegExp(`^(?:${this.#bases.map(escapePattern).join("|")})(?:/|$)`);
    this.#handlers ??= [
      requireMsw().http.all(everything, ({ request }) => respondTo(this, this.#bases, request)),
    ];
    return this.#handlers;
  }

  /** Base URL of the API, without a trailing slash and without `/v1`. */
  get baseUrl(): string {
    return this.settings.baseUrl;
  }

  /** Base URL of the authorization server, without a trailing slash. */
  get authUrl(): string {
    return this.settings.authUrl;
  }

  /**
   * Starts intercepting the requests of this process.
   *
   * @throws MockError `mock:msw_missing` when MSW is not installed.
   */
  listen({ onUnhandledRequest = "bypass" }: ListenOptions = {}): void {
    intercept(this, { handlers: this.handlers, onUnhandledRequest });
    this.start();
  }

  /** Stops intercepting requests and stops background work. */
  async close(): Promise<void> {
    release(this);
    await this.stop();
  }

  /**
   * Sends a request directly to this server, whether or not it is listening. Works like the global `fetch`.
   */
  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    respondTo(this, this.#bases, new Request(input, init)).then((response) => {
      if (response.type === "error") throw new TypeError("fetch failed");
      return response;
    });
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Creates a reference server for tests. Call `mock.listen()` before all tests, `mock.reset()` after each
 * test, and `mock.close()` after all tests. `listen` and `handlers` require `msw` 2.
 * @throws TypeError when `baseUrl` ends in a slash or in `/v1`, and for an option that does not exist.
 */
export const setupMock = (options: MockOptions = {}): Mock => new Mock(options);
