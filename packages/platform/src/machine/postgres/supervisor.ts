import { setTimeout as sleep } from "node:timers/promises";
import { isCausedByFullDisk } from "../../errors/platform-error.js";
import { type LivenessTimes, waitUntilStuck, livenessTimes, maxTimeoutMs } from "./liveness.js";
import { PostgresServer, type ServerOptions } from "./server.js";

/** How long attempts to start may fail, in milliseconds. Something may be killing the processes of Postgres. */
const startTimeoutMs = 5_000;
const failureDelayMs = 100;

/** A server that ended more often than this within `restartWindowMs` milliseconds is restarted after a pause. */
const maxQuickRestarts = 20;
const restartWindowMs = 60_000;
const restartDelayMs = 1_000;

/** Time between attempts to start while the disk is full, in milliseconds. */
const diskFullDelayMs = 1_000;

/** Why a server is restarted: it has ended, or it accepts no connections although it runs. */
export type RestartCause = "ended" | "stuck";

/** Keeps Postgres running: a server that ends unexpectedly, or gets stuck, is started again, on the same port. */
export class PostgresSupervisor {
  /** Resolves with the cause when Postgres has ended and cannot be restarted, and with undefined after `stop`. */
  readonly ended: Promise<unknown>;
  readonly #options: ServerOptions;
  readonly #patience: number;
  readonly #times: LivenessTimes;
  readonly #stopping = new AbortController();
  #server: PostgresServer;
  #restarts: number[] = [];
  /** How long Postgres may make no progress. Doubled whenever it gets stuck, until it accepts a connection. */
  #limit: number;

  /** @param patience how long attempts to start may fail, in milliseconds. */
  constructor(
    options: ServerOptions,
    server: PostgresServer,
    patience = startTimeoutMs,
    times: LivenessTimes = livenessTimes,
  ) {
    this.#options = options;
    this.#patience = patience;
    this.#times = times;
    this.#limit = times.limit;
    this.#server = server;
    this.ended = this.#supervise();
  }

  get port(): number {
    return this.#options.port;
  }

  /** Called before each restart. */
  onRestart: (cause: RestartCause) => void = () => undefined;

  /** Called when Postgres, or a restart, takes long to accept connections. */
  onSlow: () => void = () => undefined;

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
      const cause = await this.#untilDown(signal);
      if (signal.aborted) return undefined;
      const now = performance.now();
      this.#restarts = [...this.#restarts.filter((time) => now - time < restartWindowMs), now];
      this.onRestart(cause);
      if (this.#restarts.length > maxQuickRestarts) {
        await sleep(restartDelayMs, undefined, { signal }).catch(() => undefined);
      }
      const previousRestarts = this.#server;
      const failure = await this.#restart(signal);
      if (signal.aborted) {
        await this.#server.stop();
        return undefined;
      }
      if (failure !== undefined) return failure;
      // The new server has a watchdog of its own.
      await previousRestarts.dismissWatchdog();
    }
  }

  /** Resolves when the server has ended. Ends one that is stuck. */
  async #untilDown(signal: AbortSignal): Promise<RestartCause> {
    const server = this.#server;
    const watching = new AbortController();
    const endWatch = (): void => watching.abort();
    signal.addEventListener("abort", endWatch, { once: true });
    void server.ended.then(endWatch);
    const times = { ...this.#times, limit: this.#limit };
    const isStuck = await waitUntilStuck(this.#options, watching.signal, times, {
      onAccept: () => (this.#limit = this.#times.limit),
      onSlow: () => this.onSlow(),
    });
    signal.removeEventListener("abort", endWatch);
    if (isStuck) {
      this.#doubleLimit();
      server.kill();
    }
    await server.ended;
    return isStuck ? "stuck" : "ended";
  }

  /** A server that gets stuck again and again may be slower than the limit. */
  #doubleLimit(): void {
    this.#limit = Math.min(this.#limit * 2, Math.max(maxTimeoutMs, this.#times.limit));
  }

  /** Returns the error of the last attempt if Postgres cannot be started. */
  async #restart(signal: AbortSignal): Promise<unknown> {
    const slow = setTimeout(() => this.onSlow(), this.#times.slow).unref();
    try {
      return await this.#startAgain(signal);
    } finally {
      clearTimeout(slow);
    }
  }

  async #startAgain(signal: AbortSignal): Promise<unknown> {
    let failingSince: number | undefined;
    let isReported = false;
    while (!signal.aborted) {
      let isStuck = false;
      const onStuck = (): void => {
        isStuck = this.#limit < maxTimeoutMs;
        this.#doubleLimit();
        this.onRestart("stuck");
      };
      try {
        const waiting = { limit: this.#limit, onStuck };
        this.#server = await PostgresServer.start(this.#options, { signal }, waiting);
        if (isReported) this.onDiskFree();
        return undefined;
      } catch (error) {
        if (signal.aborted) return undefined;
        const isFull = isCausedByFullDisk(error);
        if (isFull) {
          if (!isReported) this.onDiskFull();
          isReported = true;
          failingSince = undefined;
        } else if (isStuck) {
          failingSince = undefined;
        } else {
          failingSince ??= performance.now();
          if (performance.now() - failingSince >= this.#patience) return error;
        }
        const pause = isFull ? diskFullDelayMs : failureDelayMs;
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }
}
