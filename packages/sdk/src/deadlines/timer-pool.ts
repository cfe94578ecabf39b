import type { Timers } from "./timers.js";

/** For how many different delays idle timers are kept, and how many timers for each delay. */
const maxIdleTimers = { delays: 8, timers: 256 };

/**
 * The asynchronous context in which every timer is created. In the context of a call, `AsyncLocalStorage` would keep the state of this call
 * alive for as long as later calls reuse the timer. An `import` of the module costs more than this.
 */
const timerResource = new (process.getBuiltinModule("node:async_hooks").AsyncResource)("MgmtDeadline");

/** The `setTimeout` that created the cached timers. Libraries for fake timers replace it; the cached timers are not used then. */
let originalSetTimeout: unknown;
/** Timers that nothing waits for, by their delay. They run, but do not keep the process alive. */
let idleTimersByDelay = new Map<number, PooledTimer[]>();

const getIdleTimers = (ms: number): PooledTimer[] | undefined => {
  if (originalSetTimeout !== globalThis.setTimeout) {
    originalSetTimeout = globalThis.setTimeout;
    idleTimersByDelay = new Map();
  }
  const timers = idleTimersByDelay.get(ms);
  if (timers || idleTimersByDelay.size === maxIdleTimers.delays) return timers;
  const newIdleTimers: PooledTimer[] = [];
  idleTimersByDelay.set(ms, newIdleTimers);
  return newIdleTimers;
};

/** A timer that is used for one deadline after another with the same delay, because creating timers is slow. */
class PooledTimer {
  readonly #idleTimers: PooledTimer[];
  readonly #timer: NodeJS.Timeout;
  #callback: (() => void) | undefined;

  constructor(callback: () => void, ms: number, idleTimers: PooledTimer[]) {
    this.#idleTimers = idleTimers;
    this.#callback = callback;
    this.#timer = timerResource.runInAsyncScope(() => setTimeout(() => this.#fire(ms), ms));
  }

  /** Starts again from the full delay. */
  restart(callback: () => void): this {
    this.#callback = callback;
    this.#timer.refresh().ref();
    return this;
  }

  stop(): void {
    // The timer has fired.
    if (!this.#callback) return;
    this.#callback = undefined;
    if (!isNodeTimer(this.#timer) || this.#idleTimers.length === maxIdleTimers.timers)
      return clearTimeout(this.#timer);
    this.#timer.unref();
    this.#idleTimers.push(this);
  }

  #fire(ms: number): void {
    const callback = this.#callback;
    this.#callback = undefined;
    if (callback) return callback();
    const index = this.#idleTimers.indexOf(this);
    if (index !== -1) this.#idleTimers.splice(index, 1);
    if (this.#idleTimers.length === 0 && idleTimersByDelay.get(ms) === this.#idleTimers)
      idleTimersByDelay.delete(ms);
  }
}

/** Returns whether a timer is a timer of Node.js. Fake timers may be counted, and fire when a test lets them. */
const isNodeTimer = (timer: unknown): boolean =>
  typeof timer === "object" && timer !== null && "_onTimeout" in timer;

/** The timers of the platform, with a pool of timers for deadlines. */
export const pooledTimers: Timers = {
  setTimeout(callback, ms) {
    const idleTimers = getIdleTimers(ms);
    return (
      idleTimers?.pop()?.restart(callback) ??
      (idleTimers ? new PooledTimer(callback, ms, idleTimers) : setTimeout(callback, ms))
    );
  },
  setPause: (callback, ms) => setTimeout(callback, ms),
  clearTimeout(timer) {
    if (timer instanceof PooledTimer) timer.stop();
    // `setTimeout` above has returned it.
    else clearTimeout(timer as NodeJS.Timeout | undefined);
  },
  get performance() {
    return performance;
  },
};
