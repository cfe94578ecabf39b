import { http } from "msw";
import { type SetupServer, setupServer } from "msw/node";
import { type EngineOptions, ReferenceEngine } from "../control/reference-engine.js";
import { answerRequest } from "./web-exchange.js";

export interface MockOptions extends Omit<EngineOptions, "settings"> {
  settings?: EngineOptions["settings"];
  /** Default: `https://api.mgmt.test`. */
  baseUrl?: string;
}

export interface ListenOptions {
  /** What becomes of requests to other hosts. Requests to the base URL are always answered. Default: `bypass`. */
  onUnhandledRequest?: "bypass" | "warn" | "error";
}

/**
 * The reference server inside a test's process: requests that any client sends to `baseUrl` or `authUrl` are answered from
 * memory, and never reach a network.
 */
export class Mock extends ReferenceEngine {
  readonly #server: SetupServer;

  constructor(options: MockOptions = {}) {
    const { baseUrl, settings, ...rest } = options;
    super({
      validateAnswers: true,
      ...rest,
      settings: { ...settings, ...(baseUrl !== undefined && { baseUrl }) },
    });
    // A pattern without parameters: MSW would decode them, and fail on a path that cannot be decoded.
    const origins = [this.settings.baseUrl, this.settings.authUrl].map(escapePattern).join("|");
    const everything = new RegExp(`^(${origins})(/|$)`);
    this.#server = setupServer(http.all(everything, ({ request }) => answerRequest(this, request)));
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
    this.#server.listen({ onUnhandledRequest });
  }

  /** Lets requests go where they were going before, and begins no background work any more. */
  async close(): Promise<void> {
    this.#server.close();
    await this.stop();
  }

  /** A `fetch` that asks this server alone, whether or not it listens. */
  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    answerRequest(this, new Request(input, init)).then((response) => {
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
