import { type EngineOptions, MemoryServer } from "@mgmt/engine";
import { assertEngineOptions } from "@mgmt/engine/internal";
import type { ClientOptions } from "@mgmt/sdk";
import { MockClients } from "../client/mock-clients.js";
import { baseOf, respondTo } from "../exchange/web-exchange.js";

export interface MockOptions extends Omit<EngineOptions, "settings"> {
  /** Settings to change, such as the durations of life cycles. Default: those of `defaultSettings`. */
  settings?: EngineOptions["settings"] | undefined;
  /** Base URL of the API, without a trailing slash and without `/v1`. Default: `https://api.mgmt.test`. */
  baseUrl?: string | undefined;
}

// The parts of mocks. Their classes declare the members that users call; these parts do the work:
//
//   part                 what it does                                        which mocks have it
//   MemoryServer         responds to requests; its state is in memory        all
//   MockClients          gives clients a token, `fetch`, and virtual time    all
//   Recordings           passes requests on to a service, and replays them   NodeMock: Mock of mock.ts, ServedMock
//   ProcessInterception  receives the requests of the process by MSW         Mock of mock.ts
//   PageWorker           receives the requests of a page by MSW              WorkerMock
//   KeptState            keeps the state when a page is reloaded             WorkerMock

/** A reference server in the program that uses it, with clients that pass its time instead of waiting. */
export class MockServer extends MemoryServer {
  protected readonly bases: readonly string[];
  /** Whether requests of clients fail, because the tests are over. */
  protected isClosed = false;
  readonly #clients: MockClients;

  /**
   * @param defaults of options.
   * @throws TypeError for an option that does not exist or is not valid.
   */
  constructor(options: MockOptions = {}, defaults: Pick<MockOptions, "validateResponses"> = {}) {
    assertEngineOptions(options, ["baseUrl"]);
    const { baseUrl, settings, validateResponses = defaults.validateResponses, ...rest } = options;
    super({
      ...rest,
      validateResponses,
      settings: { ...settings, ...(baseUrl !== undefined && { baseUrl }) },
    });
    this.bases = [this.settings.baseUrl, this.settings.authUrl].map(baseOf);
    this.#clients = new MockClients(this, {
      isClosed: () => this.isClosed,
      send: (request, pause) => this.#send(request, pause),
    });
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
   * Returns the options that `client` uses, for programs that create the client themselves: the base URL, a token of the first
   * user, signed again before it expires, the `fetch`, and the `timers`.
   */
  clientOptions(): Pick<ClientOptions, "baseUrl" | "token" | "fetch" | "timers"> {
    return { baseUrl: this.settings.baseUrl, ...this.#clients.options() };
  }

  /**
   * Sends a request directly to this server, whether or not it is listening. Works like the global `fetch`.
   *
   * @throws MockError `mock:second_server` when it was listening and another MSW server has ended that.
   */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    this.#send(new Request(input, init));

  /** Throws if requests do not reach this server any longer. */
  protected assertReached(): void {}

  /** @param pause waits for the latency of a fault. Default: in real time. */
  async #send(request: Request, pause?: (milliseconds: number) => Promise<void>): Promise<Response> {
    const { signal } = request;
    signal.throwIfAborted();
    this.assertReached();
    const response = await untilAborted(signal, respondTo(this, this.bases, request, pause));
    if (response.type === "error") throw new TypeError("fetch failed");
    return response;
  }
}

/** Resolves like the work, or rejects with the reason of a signal as soon as it is aborted. The work goes on. */
const untilAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
