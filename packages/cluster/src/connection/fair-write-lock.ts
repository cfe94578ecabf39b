import { FairSemaphore } from "@mgmt/engine/internal";
import { KeyedMutex } from "@mgmt/internal/values/keyed-mutex";
import { toUnavailableError } from "./unavailable.js";

/** How many transactions may change rows at the same time, and how long the others wait. */
export interface WriteLockOptions {
  /** Maximum number of transactions at the same time. */
  readonly maxConcurrent: number;
  /** How long a transaction waits for its locks, in milliseconds. */
  readonly acquireTimeoutMs: number;
}

/**
 * Queues the writing transactions of this process before they take a connection. A transaction that waited for an advisory lock in Postgres
 * would occupy a connection, and the transactions of one busy workspace would occupy all connections. Workspaces take turns.
 */
export class FairWriteLock {
  readonly #mutex = new KeyedMutex();
  readonly #semaphore: FairSemaphore;
  readonly #acquireTimeoutMs: number;

  constructor({ maxConcurrent, acquireTimeoutMs }: WriteLockOptions) {
    this.#semaphore = new FairSemaphore({ maxTotal: maxConcurrent });
    this.#acquireTimeoutMs = acquireTimeoutMs;
  }

  /**
   * Resolves when no other transaction of this process holds any of the locks, with a function that releases the locks.
   *
   * @throws DatabaseUnavailableError when that takes too long.
   */
  acquire(lockNames: readonly string[]): Promise<() => void> {
    return new Promise((resolveWithRelease, reject) => {
      let hasTimedOut = false;
      const timer = setTimeout(() => {
        hasTimedOut = true;
        reject(toUnavailableError(new Error("Too many changes wait for the same lock")));
      }, this.#acquireTimeoutMs);
      const holdUntilReleased = (): Promise<void> =>
        new Promise((release) => {
          clearTimeout(timer);
          if (hasTimedOut) release();
          else resolveWithRelease(release);
        });
      // At most one transaction of each workspace waits for the total, so no transaction waits for many of another workspace.
      void this.#mutex.run(lockNames, () => this.#semaphore.run(lockNames[0] ?? "", holdUntilReleased));
    });
  }
}
