import { setTimeout as sleep } from "node:timers/promises";
import { isCausedByFullDisk } from "../../errors/platform-error.js";
import type { CopyMethod } from "./copy-method.js";
import { type LivenessTimes, waitUntilStuck, livenessTimes, maxStuckTimeoutMs } from "./liveness.js";
import { PostgresServer, type ServerOptions } from "./server.js";

/** How long attempts to start may fail, in milliseconds. Something may be killing the processes of Postgres. */
const failureTimeoutMs = 5_000;
const failureDelayMs = 100;

/** A server that ended more often than this within `restartWindowMs` milliseconds is restarted after a pause. */
const defaultMaxQuickRestarts = 20;
const restartWindowMs = 60_000;
const restartDelayMs = 1_000;

/** Time between attempts to start while the disk is full, in milliseconds. */
const diskFullDelayMs = 1_000;

/** Why a server is restarted: it has exited, or it accepts no connections although it runs. */
export type RestartCause = "exited" | "stuck";

/** Keeps Postgres running: a server that ends unexpectedly, or gets stuck, is started again, on the same port. */
export class PostgresSupervisor {
  /** Resolves with the cause when Postgres has stopped and cannot be restarted, and with undefined after `stop`. */
  readonly exited: Promise<unknown>;
  readonly #options: ServerOptions;
  readonly #failureTimeoutMs: number;
  readonly #times: LivenessTimes;
  readonly #maxQuickRestarts: number;
  readonly #stopController = new AbortController();
  #server: PostgresServer;
  #restartTimes: number[] = [];
  /** How long Postgres may make no progress. Doubled whenever it gets stuck, until it accepts a connection. */
  #stuckTimeoutMs: number;

  /**
   * @param timeoutMs how long attempts to start may fail, in milliseconds.
   * @param maxQuickRestarts how many restarts within a minute have no pause before them.
   */
  constructor(
    options: ServerOptions,
    server: PostgresServer,
    timeoutMs = failureTimeoutMs,
    times: LivenessTimes = livenessTimes,
    maxQuickRestarts = defaultMaxQuickRestarts,
  ) {
    this.#options = options;
    this.#failureTimeoutMs = timeoutMs;
    this.#times = times;
    this.#maxQuickRestarts = maxQuickRestarts;
    this.#stuckTimeoutMs = times.stuckTimeoutMs;
    this.#server = server;
    this.exited = this.#supervise();
  }

  get port(): number {
    return this.#options.port;
  }

  /** How Postgres copies the files of databases. */
  get copyMethod(): CopyMethod {
    return this.#server.copyMethod;
  }

  /** Called when Postgres has stopped or got stuck, before it is started again, and whenever an attempt to start it gets stuck. */
  onRestart: (cause: RestartCause) => void = () => undefined;

  /** Called when Postgres, or a restart, takes long to accept connections. */
  onSlow: () => void = () => undefined;

  /** Called when a restart has to wait until there is space on the disk. */
  onDiskFull: () => void = () => undefined;

  /** Called when such a restart is done. */
  onDiskFree: () => void = () => undefined;

  async stop(): Promise<void> {
    this.#stopController.abort();
    await this.#server.stop();
    await this.exited;
  }

  async #supervise(): Promise<unknown> {
    const { signal } = this.#stopController;
    for (;;) {
      const cause = await this.#waitUntilDown(signal);
      if (signal.aborted) return undefined;
      const now = performance.now();
      this.#restartTimes = [...this.#restartTimes.filter((time) => now - time < restartWindowMs), now];
      this.onRestart(cause);
      if (this.#restartTimes.length > this.#maxQuickRestarts) {
        await sleep(restartDelayMs, undefined, { signal }).catch(() => undefined);
      }
      const previousServer = this.#server;
      const failure = await this.#restart(signal);
      if (signal.aborted) {
        await this.#server.stop();
        return undefined;
      }
      if (failure !== undefined) return failure;
      // The new server has a watchdog of its own.
      await previousServer.dismissWatchdog();
    }
  }

  /** Resolves when the server has exited. Kills one that is stuck. */
  async #waitUntilDown(signal: AbortSignal): Promise<RestartCause> {
    const server = this.#server;
    const watchController = new AbortController();
    const stopWatch = (): void => watchController.abort();
    signal.addEventListener("abort", stopWatch, { once: true });
    void server.exited.then(stopWatch);
    const times = { ...this.#times, stuckTimeoutMs: this.#stuckTimeoutMs };
    const isStuck = await waitUntilStuck(this.#options, watchController.signal, times, {
      onAccept: () => (this.#stuckTimeoutMs = this.#times.stuckTimeoutMs),
      onSlow: () => this.onSlow(),
    });
    signal.removeEventListener("abort", stopWatch);
    if (isStuck) {
      this.#doubleStuckTimeout();
      server.kill();
    }
    await server.exited;
    return isStuck ? "stuck" : "exited";
  }

  /** Doubles the time after which a server counts as stuck, because a server that gets stuck again and again may only be slow. */
  #doubleStuckTimeout(): void {
    this.#stuckTimeoutMs = Math.min(
      this.#stuckTimeoutMs * 2,
      Math.max(maxStuckTimeoutMs, this.#times.stuckTimeoutMs),
    );
  }

  /** Returns the error of the last attempt if Postgres cannot be started. */
  async #restart(signal: AbortSignal): Promise<unknown> {
    const slowTimer = setTimeout(() => this.onSlow(), this.#times.slowAfterMs).unref();
    try {
      return await this.#retryStart(signal);
    } finally {
      clearTimeout(slowTimer);
    }
  }

  async #retryStart(signal: AbortSignal): Promise<unknown> {
    let failingSince: number | undefined;
    let isDiskFullReported = false;
    while (!signal.aborted) {
      let canWaitLonger = false;
      const onStuck = (): void => {
        canWaitLonger = this.#stuckTimeoutMs < maxStuckTimeoutMs;
        this.#doubleStuckTimeout();
        this.onRestart("stuck");
      };
      try {
        const progressOptions = { stuckTimeoutMs: this.#stuckTimeoutMs, onStuck };
        this.#server = await PostgresServer.start(this.#options, { signal }, progressOptions);
        if (isDiskFullReported) this.onDiskFree();
        return undefined;
      } catch (error) {
        if (signal.aborted) return undefined;
        const isDiskFull = isCausedByFullDisk(error);
        if (isDiskFull) {
          if (!isDiskFullReported) this.onDiskFull();
          isDiskFullReported = true;
          failingSince = undefined;
        } else if (canWaitLonger) {
          failingSince = undefined;
        } else {
          failingSince ??= performance.now();
          if (performance.now() - failingSince >= this.#failureTimeoutMs) return error;
        }
        const delayMs = isDiskFull ? diskFullDelayMs : failureDelayMs;
        await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }
}
