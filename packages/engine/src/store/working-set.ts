import type { Lookup } from "./store.js";
import {
  type LoadResult,
  type LoadedRow,
  MissingRowsError,
  type Preload,
  buildPreloadKey,
} from "./preload.js";

/** The rows that one transaction has loaded. A callback that needs others throws `MissingRowsError`. */
export class WorkingSet {
  /** Rows by table and id; null for an id that no row has. */
  readonly #rows = new Map<string, Map<string, LoadedRow | null>>();
  readonly #ranges = new Map<string, readonly LoadedRow[]>();
  readonly #numberByPreload = new Map<string, number>();
  readonly #missedPreloads = new Map<string, Preload>();
  /** New ids that the callback has generated, which no stored row has. */
  readonly #newIds = new Set<string>();

  /** Adds the result of each preload. */
  add(preloads: readonly Preload[], results: readonly LoadResult[]): void {
    preloads.forEach((preload, index) => {
      const loadResult = results[index];
      if (loadResult === undefined) throw new Error(`Nothing was loaded for ${buildPreloadKey(preload)}`);
      if (typeof loadResult === "number") this.#numberByPreload.set(buildPreloadKey(preload), loadResult);
      else this.#addRows(preload, loadResult);
    });
  }

  /** Registers a new id that the callback has generated. No row has it or refers to it until the callback inserts one. */
  addNewId(id: string): void {
    this.#newIds.add(id);
  }

  /** Returns the rows that were missed since the last call, even if the error was caught. */
  consumeMissedPreloads(): Preload[] {
    const missedPreloads = [...this.#missedPreloads.values()];
    this.#missedPreloads.clear();
    return missedPreloads;
  }

  /** Returns the row with this id; undefined when there is none. */
  getRow(table: string, id: string): LoadedRow | undefined {
    if (this.#newIds.has(id)) return undefined;
    const loadedRow = this.#rows.get(table)?.get(id);
    if (loadedRow === undefined) throw this.#createMissingRowsError([{ read: "row", table, id }]);
    return loadedRow ?? undefined;
  }

  /** Returns the row if it is known to exist, without loading it. */
  getRowIfLoaded(table: string, id: string): LoadedRow | undefined {
    return this.#rows.get(table)?.get(id) ?? undefined;
  }

  getRange(preload: Extract<Preload, { read: "range" | "expired" | "hit" }>): readonly LoadedRow[] {
    if (preload.read === "range" && this.#refersToNewId(preload.where)) return [];
    const loadedRows = this.#ranges.get(buildPreloadKey(preload));
    if (loadedRows === undefined) throw this.#createMissingRowsError([preload]);
    return loadedRows;
  }

  getCount(table: string, where: Lookup): number {
    return this.#refersToNewId(where) ? 0 : this.#requireNumber({ read: "count", table, where });
  }

  /** Returns the sequence number of the insertion with this index. Loads the numbers of earlier insertions first. */
  getSequence(table: string, index: number): number {
    const preloads = Array.from({ length: index + 1 }, (_, position): Preload => ({
      read: "sequence",
      table,
      index: position,
    }));
    const missingPreloads = preloads.filter(
      (preload) => !this.#numberByPreload.has(buildPreloadKey(preload)),
    );
    if (missingPreloads.length > 0) throw this.#createMissingRowsError(missingPreloads);
    return this.#requireNumber({ read: "sequence", table, index });
  }

  /** Returns the sequence number of an insertion if a callback has read it. */
  getSequenceIfLoaded(table: string, index: number): number | undefined {
    return this.#numberByPreload.get(buildPreloadKey({ read: "sequence", table, index }));
  }

  #refersToNewId(where: Lookup): boolean {
    if (this.#newIds.size === 0) return false;
    return Object.values(where).some((value) => typeof value === "string" && this.#newIds.has(value));
  }

  #createMissingRowsError(preloads: readonly Preload[]): MissingRowsError {
    for (const preload of preloads) this.#missedPreloads.set(buildPreloadKey(preload), preload);
    return new MissingRowsError();
  }

  #requireNumber(preload: Preload): number {
    const loadedNumber = this.#numberByPreload.get(buildPreloadKey(preload));
    if (loadedNumber === undefined) throw this.#createMissingRowsError([preload]);
    return loadedNumber;
  }

  #addRows(preload: Preload, loadedRows: readonly LoadedRow[]): void {
    const { table } = preload;
    const rows = this.#rows.get(table) ?? new Map<string, LoadedRow | null>();
    this.#rows.set(table, rows);
    for (const loadedRow of loadedRows) rows.set(loadedRow.row.id, loadedRow);
    if (preload.read === "row" && loadedRows.length === 0) rows.set(preload.id, null);
    if (preload.read !== "row") this.#ranges.set(buildPreloadKey(preload), loadedRows);
  }
}
