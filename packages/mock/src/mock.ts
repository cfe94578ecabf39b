import { type HttpHandler, http } from "msw";
import { type EngineOptions, ReferenceEngine } from "@mgmt/engine";
import { type UnhandledRequestStrategy, intercept, release } from "./interception.js";
import { answerRequest, baseOf } from "./web-exchange.js";

export interface MockOptions extends Omit<EngineOptions, "settings"> {
  settings?: EngineOptions["settings"];
  /** Default: `https://api.mgmt.test`. */
  baseUrl?: string;
}

export interface ListenOptions {
  /** What becomes of requests to other hosts. Requests to the base URL are always answered. Default: `bypass`. */
  onUnhandledRequest?: UnhandledRequestStrategy;
}

/**
 * The reference server inside a test's process: requests that any client sends to `baseUrl` or `authUrl` are answered from
 * memory, and never reach a network.
 */
export class Mock extends ReferenceEngine {
  /** For an MSW server of your own, in place of `listen`: `setupServer(...mock.handlers, ...yours)`. */
  readonly handlers: readonly HttpHandler[];
  readonly #bases: readonly string[];

  constructor(options: MockOptions = {}) {
    const { baseUrl, settings, ...rest } = options;
    super({
      validateAnswers: true,
      ...rest,
      settings: { ...settings, ...(baseUrl !== undefined && { baseUrl }) },
    });
    this.#bases = [this.settings.baseUrl, this.settings.authUrl].map(baseOf);
    // A pattern without parameters: MSW would decode them, and fail on a path that cannot be decoded.
    const everything = new RegExp(`^(?:${this.#bases.map(escapePattern).join("|")})(?:/|$)`);
    this.handlers = [http.all(everything, ({ request }) => answerRequest(this, this.#bases, request))];
  }

  /** Address of the API, without a trailing slash and without `/v1`. */
  get baseUrl(): string {
    return this.settings.baseUrl;
  }

  /** Address of the authorization server, without a trailing slash. */
  get authUrl(): string {
    return this.settings.authUrl;
  }

  /** Answers the process's requests from now on. */
  listen({ onUnhandledRequest = "bypass" }: ListenOptions = {}): void {
    intercept(this, { handlers: this.handlers, onUnhandledRequest });
    this.start();
  }

  /** Lets requests go where they were going before, and begins no background work any more. */
  async close(): Promise<void> {
    release(this);
    await this.stop();
  }

  /** A `fetch` that asks this server alone, whether or not it listens. */
  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    answerRequest(this, this.#bases, new Request(input, init)).then((response) => {
      if (response.type === "error") throw new TypeError("fetch failed");
      return response;
    });
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * A reference server for tests: `mock.listen()` before them, `mock.reset()` after each, `mock.close()` after all. Needs
 * `msw` 2.
 *
 * @throws TypeError when `baseUrl` ends in a slash or in `/v1`.
 */
export const setupMock = (options: MockOptions = {}): Mock => new Mock(options);
