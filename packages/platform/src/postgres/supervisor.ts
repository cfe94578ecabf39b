import { PostgresServer, type ServerOptions } from "./server.js";

/** Attempts to restart that are allowed within `restartWindow` milliseconds. More of them mean that restarting does not help. */
const maxRestarts = 3;
const restartWindow = 60_000;

/** Keeps Postgres running: a server that ends unexpectedly is started again, on the same port. */
export class PostgresSupervisor {
  /** Resolves with the cause when Postgres has ended and cannot be restarted, and with undefined after `stop`. */
  readonly ended: Promise<unknown>;
  readonly #options: ServerOptions;
  #server: PostgresServer;
  #stopping = false;
  #restarts: number[] = [];

  constructor(options: ServerOptions, server: PostgresServer) {
    this.#options = options;
    this.#server = server;
    this.ended = this.#supervise();
  }

  get port(): number {
    return this.#options.port;
  }

  /** Called before each restart. */
  onRestart: () => void = () => undefined;

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#server.stop();
    await this.ended;
  }

  async #supervise(): Promise<unknown> {
    let failure: unknown = new Error("Postgres keeps ending");
    for (;;) {
      await this.#server.ended;
      if (this.#stopping) return undefined;
      const now = Date.now();
      this.#restarts = [...this.#restarts.filter((time) => now - time < restartWindow), now];
      if (this.#restarts.length > maxRestarts) return failure;
      this.onRestart();
      try {
        const former = this.#server;
        this.#server = await PostgresServer.start(this.#options);
        // The new server has a watchdog of its own.
        await former.dismissWatchdog();
      } catch (error) {
        failure = error;
      }
      if (this.#stopping) await this.#server.stop();
    }
  }
}
