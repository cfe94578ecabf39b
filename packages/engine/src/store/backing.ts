import type { Row } from "./rows.js";
import type { Found, Want } from "./want.js";

/** The changes of one table. The deletions come first, then the updates, then the insertions in their order. */
export interface TableChanges {
  readonly table: string;
  readonly deletes: readonly { readonly id: string; readonly version: string }[];
  readonly updates: readonly { readonly id: string; readonly version: string; readonly row: Row }[];
  readonly inserts: readonly {
    /** Null for a row that the step deleted again. Its sequence number is used up. */
    readonly row: Row | null;
    /** Undefined unless the step has asked for it. */
    readonly sequence: number | undefined;
  }[];
}

/** Whether a transaction may change rows, and what keeps others that do from running at the same time. */
export interface Access {
  readonly mode: "read" | "write";
  /** Names of the locks that a transaction holds while it may change rows, such as the ids of workspaces. */
  readonly locks: readonly string[];
}

/** Where a partial store loads rows from and commits its changes to. */
export interface Backing {
  /** Begins a transaction, and may load what it probably wants. */
  begin(access: Access): Transaction;
}

/**
 * A transaction. A reading one sees one moment. One that writes sees what others have committed before it took its locks;
 * its commit fails if another has changed one of the rows since it loaded them.
 */
export interface Transaction {
  load(wants: readonly Want[]): Promise<readonly Found[]>;
  /** @throws ConflictError when the step must run again in a new transaction. */
  commit(changes: readonly TableChanges[]): Promise<void>;
  /** Ends the transaction without changes. */
  rollback(): Promise<void>;
}

/** Thrown by a commit that another transaction has made impossible. Running the step again may succeed or refuse. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}
