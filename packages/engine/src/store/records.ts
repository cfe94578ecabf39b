import type { Backing } from "./backing.js";
import type { CollectionState } from "./memory-collection.js";
import type { Row } from "./rows.js";

/** The rows of all tables, by name. */
export type TableStates = Readonly<Record<string, CollectionState<Row>>>;

/** Where the servers of one store keep their rows, and how they work together. */
export interface Records extends Backing {
  readonly sessions: Sessions;
  /** Returns the rows of all tables as of one moment. */
  readAll(): Promise<TableStates>;
  /** Fills empty tables. Returns false, and changes nothing, when the server has rows already. */
  fill(states: TableStates): Promise<boolean>;
  /** Replaces the rows of all tables. Transactions that write wait until it is done. */
  replaceAll(states: TableStates): Promise<void>;
}

/** The connection of each process to the store, which ends with the process. */
export interface Sessions {
  /**
   * Returns the id of the session of this process. It changes when the connection was lost.
   *
   * @throws DatabaseUnavailableError
   */
  current(): Promise<string>;
  /** Returns which of these sessions have not ended. */
  living(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Runs work while no other work, of any process, holds one of these names. */
  exclusively<T>(names: readonly string[], work: () => Promise<T>): Promise<T>;
}
