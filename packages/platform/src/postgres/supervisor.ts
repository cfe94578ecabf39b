import { setTimeout as sleep } from "node:timers/promises";
import { isDiskFull } from "../platform-error.js";
import { PostgresServer, type ServerOptions } from "./server.js";

/** Maximum number of consecutive attempts to start that may fail. */
const maxFailures = 3;

/** Maximum number of restarts within `restartWindow` milliseconds. Stops a server that starts but soon ends again. */
const maxRestarts = 20;
const restartWindow = 60_000;

/** Time between attempts to start while the disk is full, in milliseconds. */
const diskFullPause = 1_000;

/** Keeps Postgres running: a server that ends unexpectedly is started again, on the same port. */
export class PostgresSupervisor {
  /** Resolves with the cause when Postgres has ended and cannot be restarted, and with undefined after `stop`. */
  readonly ended: Promise<unknown>;
  readonly #options: ServerOptions;
  readonly #stopping = new AbortController();
  #server: PostgresServer;
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

  /** Called when a restart has to wait until there is space on the disk. */
  onDiskFull: () => void = () => undefined;

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server.stop();
    await this.ended;
  }

  async #supervise(): Promise<unknown> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.#server.ended;
      if (signal.aborted) return undefined;
      const now = Date.now();
      this.#restarts = [...this.#restarts.filter((time) => now - time < restartWindow), now];
      if (this.#restarts.length > maxRestarts) return new Error("it keeps stopping");
      this.onRestart();
      const former = this.#server;
      const failure = await this.#restart(signal);
      if (signal.aborted) {
        await this.#server.stop();
        return undefined;
      }
      if (failure !== undefined) return failure;
      // The new server has a watchdog of its own.
      await former.dismissWatchdog();
    }
  }

  /** Returns the error of the last attempt if Postgres cannot be started. */
  async #restart(signal: AbortSignal): Promise<unknown> {
    let failures = 0;
    for (let isReported = false; ;) {
      try {
        this.#server = await PostgresServer.start(this.#options, { signal });
        return undefined;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (isDiskFull(error)) {
          if (!isReported) this.onDiskFull();
          isReported = true;
          await sleep(diskFullPause, undefined, { signal }).catch(() => undefined);
          continue;
        }
        failures += 1;
        if (failures === maxFailures) return error;
      }
    }
  }
}
