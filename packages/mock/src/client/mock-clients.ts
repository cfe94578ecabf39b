import { createRequest } from "#platform";
import type { MemoryServer } from "@mgmt/engine";
import type { ClientOptions } from "@mgmt/sdk";
import * as mockErrors from "../errors/mock-errors.js";
import { normalizeBaseUrl, respondTo } from "../exchange/web-exchange.js";
import { ClientToken } from "./client-token.js";
import { VirtualTimers } from "./virtual-timers.js";

type Pause = (milliseconds: number) => Promise<void>;

/** The clients in the process of a server: their options, which pass its time instead of waiting, and `fetch`. */
export class MockClients {
  /** The URLs of the server, in the form that `normalizeBaseUrl` returns. */
  readonly bases: readonly string[];
  /** Whether requests of clients fail, because the tests are over. */
  isClosed = false;
  readonly #server: MemoryServer;
  readonly #assertReached: () => void;
  readonly #timers: VirtualTimers;
  readonly #token: ClientToken;

  /** @param assertReached throws if requests do not reach the server any longer. Default: they always do. */
  constructor(server: MemoryServer, assertReached: () => void = () => undefined) {
    this.bases = [server.settings.baseUrl, server.settings.authUrl].map(normalizeBaseUrl);
    this.#server = server;
    this.#assertReached = assertReached;
    this.#token = new ClientToken(server);
    this.#timers = new VirtualTimers(async (milliseconds) => {
      // A closed mock does no work, but waiting calls continue.
      if (this.isClosed) this.#timers.advance(milliseconds);
      else await server.clock.advance(milliseconds);
    });
    server.clock.followMoves((milliseconds) => this.#timers.advance(milliseconds));
  }

  /** Returns the options of a client. */
  options(): Pick<ClientOptions, "baseUrl" | "token" | "fetch" | "timers"> {
    return {
      baseUrl: this.#server.settings.baseUrl,
      token: ({ rejected }) => this.#timers.runRequest(() => this.#token.get(rejected)),
      fetch: (url, init) =>
        this.#timers.runRequest((pause) => this.#fetchFor(createRequest(url, init), pause)),
      timers: this.#timers,
    };
  }

  /** Sends a request directly to the server. */
  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    return this.#send(new Request(input, init));
  }

  async #fetchFor(
    request: Request,
    pause: (ms: number, signal: AbortSignal) => Promise<void>,
  ): Promise<Response> {
    if (this.isClosed) throw mockErrors.mockClosed(request.method, new URL(request.url).pathname);
    const { signal } = request;
    return this.#send(request, (ms) => pause(ms, signal));
  }

  /** @param pause waits for the latency of a fault. Default: in real time. */
  async #send(request: Request, pause?: Pause): Promise<Response> {
    const { signal } = request;
    signal.throwIfAborted();
    this.#assertReached();
    const response = await raceWithAbort(signal, respondTo(this.#server, this.bases, request, pause));
    if (response.type === "error") throw new TypeError("fetch failed");
    return response;
  }
}

/** Settles like a promise, or rejects with the reason of a signal as soon as it is aborted. The operation of the promise continues. */
const raceWithAbort = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
