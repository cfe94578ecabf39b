import type { StorageAdapter } from "./storage-adapter.js";
import type { CollectionState } from "./memory-collection.js";
import type { Row } from "./rows.js";

/** The rows of all tables, by name. */
export type TableStates = Readonly<Record<string, CollectionState<Row>>>;

/** Stores the rows of one or more servers, and coordinates their work. */
export interface RecordStore extends StorageAdapter {
  readonly sessions: Sessions;
  /** Returns the rows of all tables from one snapshot. */
  readAllTables(): Promise<TableStates>;
  /** Fills empty tables. Returns false, and changes nothing, when the server has rows already. */
  fillEmptyTables(states: TableStates): Promise<boolean>;
  /**
   * Replaces the rows of all tables. Write transactions end before it reads the rows, or wait until it has replaced them.
   *
   * @param createTables returns the new rows. When it throws, nothing changes.
   * @throws errors of `createTables`; DatabaseUnavailableError.
   */
  replaceAll(createTables: (current: TableStates) => TableStates): Promise<TableReplacement>;
}

/** The rows of all tables before and after they were replaced. */
export interface TableReplacement {
  readonly before: TableStates;
  readonly after: TableStates;
}

/** The connection of each process to the store, which ends with the process. */
export interface Sessions {
  /**
   * Returns the id of the session of this process. It changes when the connection is lost.
   *
   * @throws DatabaseUnavailableError
   */
  getCurrentId(): Promise<string>;
  /** Returns which of these sessions have not ended. */
  selectLive(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Runs a callback while it holds locks with these names, which exclude those of all other processes. */
  runExclusively<T>(names: readonly string[], callback: (lock: WorkLock) => Promise<T>): Promise<T>;
}

/** The locks of some work. They are lost when the session of the process ends during the work. */
export interface WorkLock {
  /** Aborted with a `LockLostError` when this process learns that the locks are lost. */
  readonly signal: AbortSignal;
  /**
   * Resolves if the session still holds the locks. Call it before storing the result of the work.
   *
   * @throws LockLostError
   */
  confirm(): Promise<void>;
}
