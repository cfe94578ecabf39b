import type { Row } from "./rows.js";
import type { Lookup } from "./store.js";

/** A row with its sequence number, as a transaction has loaded it. */
export interface LoadedRow {
  readonly sequence: number;
  /** Changes with every update of the row, so that a commit notices the update of another transaction. */
  readonly version: string;
  readonly row: Row;
}

/** A read of one table that a callback needs. The table is a collection, or one that the server itself uses. */
export type Preload =
  | { readonly read: "row"; readonly table: string; readonly id: string }
  | {
      readonly read: "range";
      readonly table: string;
      readonly where: Lookup;
      readonly containing?: Readonly<Record<string, string>>;
      /** Sequence number that the range starts after; null for the start. */
      readonly after: number | null;
      /** Maximum number of rows; null for all. */
      readonly limit: number | null;
      readonly newestFirst: boolean;
    }
  | {
      /** The row whose id is in a field of another row. */
      readonly read: "referenced";
      readonly table: string;
      readonly by: { readonly table: string; readonly id: string; readonly field: string };
    }
  | { readonly read: "count"; readonly table: string; readonly where: Lookup }
  | {
      /** Rows that expire, or jobs that are due, at or before a time, earliest first. */
      readonly read: "expired";
      readonly table: string;
      readonly time: number;
      /** Maximum number of rows; null for all. */
      readonly limit: number | null;
    }
  | {
      /** The sequence number of a row that the callback inserts: the first, second, … of this table. */
      readonly read: "sequence";
      readonly table: string;
      readonly index: number;
    }
  | {
      /**
       * Counts a request in the window with this id, and returns the window. Starts a new window if there is none or it is over. Takes
       * effect immediately, whether or not the transaction commits.
       */
      readonly read: "hit";
      readonly table: "rateWindows";
      readonly id: string;
      /** Milliseconds since 1970. */
      readonly now: number;
      /** Length of a window, in milliseconds. */
      readonly length: number;
      /** Maximum value of the count. */
      readonly maxCount: number;
    };

/** The result of a preload: rows, or a number for `count` and `sequence`. */
export type LoadResult = readonly LoadedRow[] | number;

/**
 * Rows that a read transaction has loaded, with which a later write transaction begins, to save a round trip. The commit of the write
 * transaction detects a conflict only on rows that it changes. So it must change each row on which its result depends.
 */
export class LoadedRows {
  #results: (readonly [Preload, LoadResult])[] = [];

  /** Replaces the results of earlier preloads. */
  set(preloads: readonly Preload[], results: readonly LoadResult[]): void {
    this.#results = preloads.map((preload, index) => [preload, results[index] ?? []]);
  }

  /** Returns the rows, and discards them: a transaction that runs again must load rows itself. */
  consume(): readonly (readonly [Preload, LoadResult])[] {
    const results = this.#results;
    this.#results = [];
    return results;
  }
}

/** Identifies a preload. A callback counts one request, so a preload for a window is the same at any time. */
export const buildPreloadKey = (preload: Preload): string =>
  preload.read === "hit" ? `hit ${preload.id}` : JSON.stringify(preload);

/**
 * Thrown when a callback needs something that is not loaded yet. The callback then runs again with it. Code that catches errors must
 * rethrow this one.
 */
export class MissingRowsError extends Error {
  override readonly name = "MissingRowsError";

  constructor() {
    super("The callback needs rows that are not loaded");
  }
}

/** Runs two functions. If both miss rows, these are loaded in one batch, because the second one runs before the first one is repeated. */
export const runBatched = <First, Second>(
  runFirst: () => First,
  runSecond: () => Second,
): [First, Second] => {
  let firstResult: First;
  try {
    firstResult = runFirst();
  } catch (error) {
    if (error instanceof MissingRowsError) runSecond();
    throw error;
  }
  return [firstResult, runSecond()];
};

/** Runs the function for each item. The rows that any of the runs misses are loaded in one batch. */
export const mapBatched = <T, Result>(items: readonly T[], callback: (item: T) => Result): Result[] => {
  const results: Result[] = [];
  let missingRowsError: MissingRowsError | undefined;
  for (const item of items) {
    try {
      results.push(callback(item));
    } catch (error) {
      if (!(error instanceof MissingRowsError)) throw error;
      missingRowsError = error;
    }
  }
  if (missingRowsError) throw missingRowsError;
  return results;
};
