import type { Lookup } from "./store.js";
import { type LoadResult, type Loaded, Missing, type Preload, keyOf } from "./preload.js";

/** The rows that one transaction has loaded. A step that needs others throws `Missing`. */
export class WorkingSet {
  /** Rows by table and id; null for an id that no row has. */
  readonly #rows = new Map<string, Map<string, Loaded | null>>();
  readonly #ranges = new Map<string, readonly Loaded[]>();
  readonly #numbers = new Map<string, number>();
  readonly #missed = new Map<string, Preload>();
  /** New ids that the step has generated, which no stored row has. */
  readonly #fresh = new Set<string>();

  /** Adds the result of each preload. */
  add(preloads: readonly Preload[], results: readonly LoadResult[]): void {
    preloads.forEach((preload, index) => {
      const result = results[index];
      if (result === undefined) throw new Error(`Nothing was loaded for ${keyOf(preload)}`);
      if (typeof result === "number") this.#numbers.set(keyOf(preload), result);
      else this.#addRows(preload, result);
    });
  }

  /** Registers a new id that the step has generated. No row has it or refers to it until the step inserts one. */
  addFresh(id: string): void {
    this.#fresh.add(id);
  }

  /** Returns the rows that were missed since the last call, even if the error was caught. */
  takeMissed(): Preload[] {
    const missed = [...this.#missed.values()];
    this.#missed.clear();
    return missed;
  }

  /** Returns the row with this id; undefined when there is none. */
  row(table: string, id: string): Loaded | undefined {
    if (this.#fresh.has(id)) return undefined;
    const known = this.#rows.get(table)?.get(id);
    if (known === undefined) throw this.#missing([{ read: "row", table, id }]);
    return known ?? undefined;
  }

  /** Returns the row if it is known to exist, without loading it. */
  knownRow(table: string, id: string): Loaded | undefined {
    return this.#rows.get(table)?.get(id) ?? undefined;
  }

  range(preload: Extract<Preload, { read: "range" | "expired" | "hit" }>): readonly Loaded[] {
    if (preload.read === "range" && this.#namesFresh(preload.where)) return [];
    const known = this.#ranges.get(keyOf(preload));
    if (known === undefined) throw this.#missing([preload]);
    return known;
  }

  count(table: string, where: Lookup): number {
    return this.#namesFresh(where) ? 0 : this.#number({ read: "count", table, where });
  }

  /** Returns the sequence number of the insertion with this index. Loads those of earlier insertions first. */
  sequence(table: string, index: number): number {
    const preloads = Array.from({ length: index + 1 }, (_, position): Preload => ({
      read: "sequence",
      table,
      index: position,
    }));
    const missing = preloads.filter((preload) => !this.#numbers.has(keyOf(preload)));
    if (missing.length > 0) throw this.#missing(missing);
    return this.#number({ read: "sequence", table, index });
  }

  /** Returns the sequence number of an insertion if a step has read it. */
  knownSequence(table: string, index: number): number | undefined {
    return this.#numbers.get(keyOf({ read: "sequence", table, index }));
  }

  #namesFresh(where: Lookup): boolean {
    if (this.#fresh.size === 0) return false;
    return Object.values(where).some((value) => typeof value === "string" && this.#fresh.has(value));
  }

  #missing(preloads: readonly Preload[]): Missing {
    for (const preload of preloads) this.#missed.set(keyOf(preload), preload);
    return new Missing();
  }

  #number(preload: Preload): number {
    const known = this.#numbers.get(keyOf(preload));
    if (known === undefined) throw this.#missing([preload]);
    return known;
  }

  #addRows(preload: Preload, loadedRows: readonly Loaded[]): void {
    const { table } = preload;
    const rows = this.#rows.get(table) ?? new Map<string, Loaded | null>();
    this.#rows.set(table, rows);
    for (const loaded of loadedRows) rows.set(loaded.row.id, loaded);
    if (preload.read === "row" && loadedRows.length === 0) rows.set(preload.id, null);
    if (preload.read !== "row") this.#ranges.set(keyOf(preload), loadedRows);
  }
}
