import { requestOf } from "#platform";
import type { MemoryServer } from "@mgmt/engine";
import type { ClientOptions } from "@mgmt/sdk";
import * as mockErrors from "../errors/mock-errors.js";
import { ClientToken } from "./client-token.js";
import { VirtualTimers } from "./virtual-timers.js";

/** The parts of a mock that its clients use. */
interface ClientServer {
  /** Whether requests of clients fail, because the tests are over. */
  isClosed(): boolean;
  /** @param pause waits for the latency of a fault. */
  send(request: Request, pause: (milliseconds: number) => Promise<void>): Promise<Response>;
}

/** The token, `fetch`, and timers of the clients of a mock. They pass its time instead of waiting. */
export class MockClients {
  readonly #timers: VirtualTimers;
  readonly #token: ClientToken;
  readonly #server: ClientServer;

  constructor(engine: MemoryServer, server: ClientServer) {
    this.#server = server;
    this.#token = new ClientToken(engine);
    this.#timers = new VirtualTimers(async (milliseconds) => {
      // A closed mock does no work, but those who wait for it go on.
      if (server.isClosed()) this.#timers.pass(milliseconds);
      else await engine.clock.advance(milliseconds);
    });
    engine.clock.followMoves((milliseconds) => this.#timers.pass(milliseconds));
  }

  /** Returns the options of a client, except for its base URL. */
  options(): Pick<ClientOptions, "token" | "fetch" | "timers"> {
    return {
      token: ({ rejected }) => this.#timers.during(() => this.#token.get(rejected)),
      fetch: (url, init) => this.#timers.during((pause) => this.#fetch(requestOf(url, init), pause)),
      timers: this.#timers,
    };
  }

  async #fetch(
    request: Request,
    pause: (ms: number, signal: AbortSignal) => Promise<void>,
  ): Promise<Response> {
    if (this.#server.isClosed()) throw mockErrors.closed(request.method, new URL(request.url).pathname);
    const { signal } = request;
    return this.#server.send(request, (ms) => pause(ms, signal));
  }
}
