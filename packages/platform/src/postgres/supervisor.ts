import { setTimeout as sleep } from "node:timers/promises";
import { isDiskFull } from "../platform-error.js";
import { PostgresServer, type ServerOptions } from "./server.js";

/** How long attempts to start may fail, in milliseconds. Something may be killing the processes of Postgres. */
const startPatience = 5_000;
const failurePause = 100;

/** A server that ended more often than this within `restartWindow` milliseconds is restarted after a pause. */
const maxQuickRestarts = 20;
const restartWindow = 60_000;
const restartPause = 1_000;

/** Time between attempts to start while the disk is full, in milliseconds. */
const diskFullPause = 1_000;

/** Keeps Postgres running: a server that ends unexpectedly is started again, on the same port. */
export class PostgresSupervisor {
  /** Resolves with the cause when Postgres has ended and cannot be restarted, and with undefined after `stop`. */
  readonly ended: Promise<unknown>;
  readonly #options: ServerOptions;
  readonly #patience: number;
  readonly #stopping = new AbortController();
  #server: PostgresServer;
  #restarts: number[] = [];

  /** @param patience how long attempts to start may fail, in milliseconds. */
  constructor(options: ServerOptions, server: PostgresServer, patience = startPatience) {
    this.#options = options;
    this.#patience = patience;
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

  /** Called when such a restart is done. */
  onDiskFree: () => void = () => undefined;

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
      const now = performance.now();
      this.#restarts = [...this.#restarts.filter((time) => now - time < restartWindow), now];
      this.onRestart();
      if (this.#restarts.length > maxQuickRestarts) {
        await sleep(restartPause, undefined, { signal }).catch(() => undefined);
      }
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
    let failingSince: number | undefined;
    let isReported = false;
    while (!signal.aborted) {
      try {
        this.#server = await PostgresServer.start(this.#options, { signal });
        if (isReported) this.onDiskFree();
        return undefined;
      } catch (error) {
        if (signal.aborted) return undefined;
        const isFull = isDiskFull(error);
        if (isFull) {
          if (!isReported) this.onDiskFull();
          isReported = true;
          failingSince = undefined;
        } else {
          failingSince ??= performance.now();
          if (performance.now() - failingSince >= this.#patience) return error;
        }
        const pause = isFull ? diskFullPause : failurePause;
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }
}
