import { setTimeout as sleep } from "node:timers/promises";
import type { MgmtDev } from "./mgmt-dev.js";
import { Violation } from "./violation.js";

/** Starts the platform again whenever it has ended, as a process manager does. */
export class Keeper {
  readonly #dev: MgmtDev;
  #isPaused = false;
  /** Number of kills, and of those that are under way. */
  #kills = 0;
  #killing = 0;

  constructor(dev: MgmtDev) {
    this.#dev = dev;
  }

  /** Kills something. A start at the same time may fail. */
  async whileKilling<T>(work: () => Promise<T>): Promise<T> {
    this.#kills += 1;
    this.#killing += 1;
    try {
      return await work();
    } finally {
      this.#killing -= 1;
    }
  }

  /** Leaves the platform alone while a kill ends it in a way of its own. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#isPaused = true;
    try {
      return await work();
    } finally {
      this.#isPaused = false;
    }
  }

  /**
   * Keeps the platform running until the signal is aborted.
   *
   * @throws Violation when it does not start although nothing was killed.
   */
  async run(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await sleep(10)) {
      if (this.#isPaused || this.#dev.isRunning) continue;
      const kills = this.#killing === 0 ? this.#kills : undefined;
      try {
        await this.#dev.startAgain();
      } catch (error) {
        if (kills === this.#kills || !(error instanceof Violation)) throw error;
      }
    }
  }
}
