import type { Sessions, WorkLock } from "../store/records.js";
import { unrefTimer } from "../values/idle-timer.js";
import { KeyedMutex } from "@mgmt/internal/values/keyed-mutex";

type RunExclusively = Sessions["runExclusively"];

const createProcessLock = (): RunExclusively => {
  const mutex = new KeyedMutex();
  const lock: WorkLock = { signal: new AbortController().signal, confirm: () => Promise.resolve() };
  return (names, callback) => mutex.run(names, () => callback(lock));
};

/** Milliseconds between checks of whether the database should still be filled. */
const checkIntervalMs = 500;

/**
 * The work on real databases that this process is doing. It belongs to the process, not to a store: work on one database runs
 * one piece at a time, in the order of the requests, so that concurrent rotations leave the same password in the store and in
 * the database.
 */
export class DatabaseWork {
  readonly #runExclusively: RunExclusively;
  /** By database. `withLock` leaves one at most for each. */
  readonly #fillControllers = new Map<string, AbortController>();

  /** @param runExclusively runs work while no other work holds one of these names. Default: only the work of this process counts. */
  constructor(runExclusively: RunExclusively = createProcessLock()) {
    this.#runExclusively = runExclusively;
  }

  /**
   * Runs the callback when no other one holds any of these databases.
   *
   * @throws the error of the callback; LockLostError instead if it has lost its locks.
   */
  withLock<T>(databaseIds: readonly string[], callback: (lock: WorkLock) => Promise<T>): Promise<T> {
    return this.#runExclusively(databaseIds, async (lock) => {
      try {
        return await callback(lock);
      } catch (error) {
        await lock.confirm();
        throw error;
      }
    });
  }

  /**
   * Runs work that creates or overwrites the data of a database. Call it in turn, and read the row in the work: a deletion that the row
   * does not show yet then finds the work here.
   *
   * @param isNeeded whether the row still asks for the work. Called repeatedly, because another process may have changed it.
   * @param heldLock the locks of the work.
   * @param callback receives the locks, with a signal that is also aborted when the work is no longer needed.
   */
  async runFill(
    databaseId: string,
    { heldLock, isNeeded }: { heldLock: WorkLock; isNeeded: () => Promise<boolean> },
    callback: (lock: WorkLock) => Promise<void>,
  ): Promise<void> {
    const controller = new AbortController();
    this.#fillControllers.set(databaseId, controller);
    const checkTimer = unrefTimer(
      setInterval(() => {
        isNeeded().then(
          (isStillNeeded) => {
            if (!isStillNeeded) controller.abort();
          },
          // The next check runs after the interval.
          () => undefined,
        );
      }, checkIntervalMs),
    );
    // Edge runtimes have no `AbortSignal.any`.
    const abortOnLockLoss = (): void => controller.abort(heldLock.signal.reason);
    heldLock.signal.addEventListener("abort", abortOnLockLoss);
    if (heldLock.signal.aborted) abortOnLockLoss();
    try {
      await callback({ signal: controller.signal, confirm: () => heldLock.confirm() });
    } finally {
      heldLock.signal.removeEventListener("abort", abortOnLockLoss);
      clearInterval(checkTimer);
      this.#fillControllers.delete(databaseId);
    }
  }

  /** Cancels the work of this process that fills the database, whether or not it has started. */
  cancelFill(databaseId: string): void {
    this.#fillControllers.get(databaseId)?.abort();
  }
}
