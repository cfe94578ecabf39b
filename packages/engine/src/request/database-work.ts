import { KeyedMutex } from "../time/keyed-mutex.js";

type Exclusively = <T>(names: readonly string[], work: () => Promise<T>) => Promise<T>;

const inThisProcess = (): Exclusively => {
  const mutex = new KeyedMutex();
  return (names, work) => mutex.run(names, work);
};

/**
 * The work on real databases that this server is doing. It belongs to the server, not to a store: work on one database runs one
 * piece at a time, in the order of the requests, so that concurrent rotations leave the same password in the store and in the
 * database.
 */
export class DatabaseWork {
  readonly #exclusively: Exclusively;
  readonly #filling = new Set<string>();

  /** @param exclusively runs work while no other work holds one of these names. Default: no other work of this process. */
  constructor(exclusively: Exclusively = inThisProcess()) {
    this.#exclusively = exclusively;
  }

  /** Runs the work when no other work holds any of these databases. */
  inTurn<T>(databaseIds: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#exclusively(databaseIds, work);
  }

  /** Runs work that creates or overwrites the data of the database. Dropping the database cancels it. */
  async filling(databaseId: string, work: () => Promise<void>): Promise<void> {
    this.#filling.add(databaseId);
    try {
      await work();
    } finally {
      this.#filling.delete(databaseId);
    }
  }

  isFilling(databaseId: string): boolean {
    return this.#filling.has(databaseId);
  }
}
