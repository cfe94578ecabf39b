import { KeyedMutex } from "../time/keyed-mutex.js";

type Exclusively = <T>(names: readonly string[], work: () => Promise<T>) => Promise<T>;

const inThisProcess = (): Exclusively => {
  const mutex = new KeyedMutex();
  return (names, work) => mutex.run(names, work);
};

/** Milliseconds between looks whether another process has ended the reason for filling a database. */
const lookInterval = 500;

/**
 * The work on real databases that this process is doing. It belongs to the process, not to a store: work on one database runs
 * one piece at a time, in the order of the requests, so that concurrent rotations leave the same password in the store and in
 * the database.
 */
export class DatabaseWork {
  readonly #exclusively: Exclusively;
  /** By database. `inTurn` leaves one at most for each. */
  readonly #filling = new Map<string, AbortController>();

  /** @param exclusively runs work while no other work holds one of these names. Default: no other work of this process. */
  constructor(exclusively: Exclusively = inThisProcess()) {
    this.#exclusively = exclusively;
  }

  /** Runs the work when no other work holds any of these databases. */
  inTurn<T>(databaseIds: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#exclusively(databaseIds, work);
  }

  /**
   * Runs work that creates or overwrites the data of a database. Call it in turn, and read the row in the work: a deletion that
   * the row does not show yet then finds the work here.
   *
   * @param isWanted whether the row still asks for the work. Called repeatedly, because another process may have changed it.
   * @param work receives a signal that is aborted when the work is not wanted any more.
   */
  async filling(
    databaseId: string,
    isWanted: () => Promise<boolean>,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const filling = new AbortController();
    this.#filling.set(databaseId, filling);
    const look = setInterval(() => {
      isWanted().then(
        (wanted) => {
          if (!wanted) filling.abort();
        },
        // This runs again after the interval.
        () => undefined,
      );
    }, lookInterval).unref();
    try {
      await work(filling.signal);
    } finally {
      clearInterval(look);
      this.#filling.delete(databaseId);
    }
  }

  /** Cancels the work of this process that fills the database, whether or not it has started. */
  cancelFilling(databaseId: string): void {
    this.#filling.get(databaseId)?.abort();
  }
}
