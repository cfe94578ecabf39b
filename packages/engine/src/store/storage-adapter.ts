import type { Row } from "./rows.js";
import type { LoadResult, Preload } from "./preload.js";

/** The changes to one table. They apply in this order: deletions, updates, insertions. */
export interface TableChanges {
  readonly table: string;
  readonly deletes: readonly { readonly id: string; readonly version: string }[];
  readonly updates: readonly { readonly id: string; readonly version: string; readonly row: Row }[];
  readonly inserts: readonly {
    /** Null means a row that the callback also deleted. It still uses a sequence number. */
    readonly row: Row | null;
    /** It is undefined unless the callback has read it. */
    readonly sequence: number | undefined;
  }[];
}

/** Whether a transaction may change rows, and the locks that it takes if so. */
export interface TransactionOptions {
  readonly mode: "read" | "write";
  /** Names of the locks that a transaction holds while it may change rows, such as the ids of workspaces. */
  readonly locks: readonly string[];
}

/** Access of a transaction that changes no rows. */
export const readOnlyTransaction: TransactionOptions = { mode: "read", locks: [] };

/** Access of a transaction that changes rows and takes no locks. It runs again when another one has changed the same rows. */
export const writeWithoutLocks: TransactionOptions = { mode: "write", locks: [] };

/** Where a partial store loads rows from and commits its changes to. */
export interface StorageAdapter {
  /** Begins a transaction. */
  begin(options: TransactionOptions): Transaction;
}

/**
 * Each load of a read transaction sees one snapshot, and may see other rows than the load before. A write transaction sees what
 * others committed before it took its locks. Its commit fails if another transaction has changed a row since it was loaded.
 */
export interface Transaction {
  load(preloads: readonly Preload[]): Promise<readonly LoadResult[]>;
  /** @throws ConflictError when the callback must run again in a new transaction. */
  commit(changes: readonly TableChanges[]): Promise<void>;
  /** Ends the transaction without changes. */
  rollback(): Promise<void>;
}

/** Thrown by a commit that conflicts with another transaction. The callback can run again in a new transaction. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}
