import { FairSemaphore, KeyedMutex } from "@mgmt/engine/internal";
import { unavailable } from "./unavailable.js";

export interface WriteLockLimits {
  /** Maximum number of transactions at the same time. */
  readonly total: number;
  /** How long a transaction waits for its locks, in milliseconds. */
  readonly patience: number;
}

/**
 * Queues the writing transactions of this process before they take a connection. A transaction that waited for an advisory lock
 * in Postgres would occupy a connection, and those of one busy workspace would occupy all of them. Workspaces take turns.
 */
export class FairWriteLock {
  readonly #mutex = new KeyedMutex();
  readonly #semaphore: FairSemaphore;
  readonly #patience: number;

  constructor({ total, patience }: WriteLockLimits) {
    this.#semaphore = new FairSemaphore({ total });
    this.#patience = patience;
  }

  /**
   * Resolves when no other transaction of this process holds any of the locks, with a function that releases the locks.
   *
   * @throws DatabaseUnavailableError when that takes too long.
   */
  acquire(locks: readonly string[]): Promise<() => void> {
    return new Promise((begin, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(unavailable(new Error("Too many changes wait for the same lock")));
      }, this.#patience);
      const hold = (): Promise<void> =>
        new Promise((end) => {
          clearTimeout(timer);
          if (isLate) end();
          else begin(end);
        });
      // At most one transaction of each workspace waits for the total, so none waits for many of another.
      void this.#mutex.run(locks, () => this.#semaphore.run(locks[0] ?? "", hold));
    });
  }
}
