import { AsyncResource } from "node:async_hooks";
import type { Timers } from "./timers.js";

/** How many delays have idle timers, and how many each. */
const maxIdle = { delays: 8, timers: 256 };

/** Every timer is made in it. Otherwise, `AsyncLocalStorage` would keep the state of one call as long as others reuse its timer. */
const timerResource = new AsyncResource("MgmtDeadline");

/** The function that made the cached timers. It changes when a library for fake timers is installed or removed. */
let knownSetTimeout: unknown;
/** Timers that nothing waits for, by their delay. They run, but do not keep the process alive. */
let idleByDelay = new Map<number, ReusedTimer[]>();

const idleTimersFor = (ms: number): ReusedTimer[] | undefined => {
  if (knownSetTimeout !== globalThis.setTimeout) {
    knownSetTimeout = globalThis.setTimeout;
    idleByDelay = new Map();
  }
  const timers = idleByDelay.get(ms);
  if (timers || idleByDelay.size === maxIdle.delays) return timers;
  const newIdleTimers: ReusedTimer[] = [];
  idleByDelay.set(ms, newIdleTimers);
  return newIdleTimers;
};

/** A timer for one deadline after another with the same delay, which costs less than a new one for each. */
class ReusedTimer {
  readonly #idle: ReusedTimer[];
  readonly #timer: NodeJS.Timeout;
  #callback: (() => void) | undefined;

  constructor(callback: () => void, ms: number, idle: ReusedTimer[]) {
    this.#idle = idle;
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
    // It has fired.
    if (!this.#callback) return;
    this.#callback = undefined;
    if (!isNodeTimer(this.#timer) || this.#idle.length === maxIdle.timers) return clearTimeout(this.#timer);
    this.#timer.unref();
    this.#idle.push(this);
  }

  #fire(ms: number): void {
    const callback = this.#callback;
    this.#callback = undefined;
    if (callback) return callback();
    const index = this.#idle.indexOf(this);
    if (index !== -1) this.#idle.splice(index, 1);
    if (this.#idle.length === 0 && idleByDelay.get(ms) === this.#idle) idleByDelay.delete(ms);
  }
}

/** Whether a timer is real. Fake timers may be counted, and fire when a test lets them. */
const isNodeTimer = (timer: unknown): boolean =>
  typeof timer === "object" && timer !== null && "_onTimeout" in timer;

/** The timers of the platform, of which those for deadlines are reused. */
export const reusedTimers: Timers = {
  setTimeout(callback, ms) {
    const idle = idleTimersFor(ms);
    return (
      idle?.pop()?.restart(callback) ??
      (idle ? new ReusedTimer(callback, ms, idle) : setTimeout(callback, ms))
    );
  },
  setPause: (callback, ms) => setTimeout(callback, ms),
  clearTimeout(timer) {
    if (timer instanceof ReusedTimer) timer.stop();
    // It was made here.
    else clearTimeout(timer as NodeJS.Timeout | undefined);
  },
  get performance() {
    return performance;
  },
};
