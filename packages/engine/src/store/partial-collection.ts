import { containingMatcher, expiryOf, lookupMatcher } from "./row-fields.js";
import type { Row } from "./rows.js";
import type { ExpiringCollection, Lookup, PageRequest } from "./store.js";
import type { TableChanges } from "./storage-adapter.js";
import type { Loaded } from "./preload.js";
import type { WorkingSet } from "./working-set.js";

/** A row that the step has changed: the row before, and the row now. */
interface Changed<T> {
  /** Undefined for a row that the step has inserted. */
  readonly before: Loaded | undefined;
  /** Undefined for a row that the step has deleted. */
  row: T | undefined;
  /** The sequence number, or a provisional one for an inserted row whose number no run has read. */
  readonly order: number;
  /** Number of rows that the step inserted before this one; undefined for a row that it did not insert. */
  readonly index: number | undefined;
}

/** Larger than every sequence number of a stored row. */
const firstProvisional = 2 ** 52;

/** The rows of one collection as one run of a step sees them: the loaded rows with the changes of this run. */
export class PartialCollection<T extends Row, W extends Lookup> implements ExpiringCollection<T, W> {
  readonly #table: string;
  readonly #loaded: WorkingSet;
  readonly #isStrict: boolean;
  readonly #changed = new Map<string, Changed<T>>();
  /** Rows that were changed before another row with their id was inserted. */
  readonly #replaced: Changed<T>[] = [];
  #inserted = 0;

  /** @param isStrict whether an insertion loads the row with its id, to refuse it. Otherwise the commit refuses it. */
  constructor(table: string, loaded: WorkingSet, isStrict: boolean) {
    this.#table = table;
    this.#loaded = loaded;
    this.#isStrict = isStrict;
  }

  get size(): number {
    return this.#count({});
  }

  get(id: string): T | undefined {
    const changed = this.#changed.get(id);
    return changed ? changed.row : rowOf(this.#loaded.row(this.#table, id));
  }

  /** Returns a row that this step has read or changed; undefined for any other. */
  known(id: string): T | undefined {
    const changed = this.#changed.get(id);
    return changed ? changed.row : rowOf(this.#loaded.knownRow(this.#table, id));
  }

  find(where: W): T | undefined {
    return this.page({ where, limit: 1 })[0];
  }

  list(where: W): T[] {
    return this.page({ where, limit: Infinity });
  }

  count(where: W): number {
    return this.#count(where);
  }

  page({ where, containing, after, limit, newestFirst = false }: PageRequest<T, W>): T[] {
    const texts = textsOf(containing);
    const loaded = this.#loaded.range({
      read: "range",
      table: this.#table,
      where,
      ...(texts && { containing: texts }),
      after: after ?? null,
      limit: this.#loadedLimit(limit),
      newestFirst,
    });
    const [matchesWhere, contains] = [lookupMatcher(where), containingMatcher(containing)];
    const isAfter = (order: number): boolean =>
      after === undefined || (newestFirst ? order < after : order > after);
    const rows = this.#overlay(
      loaded,
      (row, order) => isAfter(order) && matchesWhere(row) && contains(row),
      (left, right) => (newestFirst ? right.order - left.order : left.order - right.order),
    );
    return rows.slice(0, limit);
  }

  listExpired(time: number, limit = Infinity): T[] {
    const rows = this.#overlay(
      this.#loaded.range({
        read: "expired",
        table: this.#table,
        time,
        limit: this.#loadedLimit(limit),
      }),
      (row) => expiryOf(row) <= time,
      (left, right) => expiryOf(left.row) - expiryOf(right.row) || left.order - right.order,
    );
    return rows.slice(0, limit);
  }

  /** Returns the version of a row, as the transaction has loaded it; undefined when there is no row. */
  version(id: string): string | undefined {
    return this.#loaded.row(this.#table, id)?.version;
  }

  insert(row: T): T {
    const changed = this.#changed.get(row.id);
    const existing = changed ? changed.row : this.#existing(row.id);
    if (existing) throw new Error(`A row with the id ${row.id} exists`);
    if (changed) this.#replaced.push(changed);
    // Moves a row that was deleted and inserted again to the end.
    this.#changed.delete(row.id);
    const index = this.#inserted;
    const order = this.#loaded.knownSequence(this.#table, index) ?? firstProvisional + index;
    this.#changed.set(row.id, { before: undefined, row, order, index });
    this.#inserted += 1;
    return row;
  }

  update(id: string, changes: Partial<Omit<T, "id">>): T {
    const current = this.get(id);
    if (!current) throw noRow(id);
    const row = { ...current, ...changes };
    this.#change(id).row = row;
    return row;
  }

  delete(id: string): void {
    if (this.get(id)) this.#change(id).row = undefined;
  }

  sequence(id: string): number {
    const changed = this.#changed.get(id);
    if (changed?.row && changed.index !== undefined) return this.#loaded.sequence(this.#table, changed.index);
    const loaded = changed?.row ? changed.before : changed ? undefined : this.#loaded.row(this.#table, id);
    if (!loaded) throw noRow(id);
    return loaded.sequence;
  }

  /** The changes of this run; undefined when there are none. */
  get changes(): TableChanges | undefined {
    if (this.#changed.size === 0 && this.#replaced.length === 0) return undefined;
    const changes = this.#allChanged();
    const inserts = Array.from({ length: this.#inserted }, (): Row | null => null);
    const [updates, deletes]: [TableChanges["updates"][number][], TableChanges["deletes"][number][]] = [
      [],
      [],
    ];
    for (const { before, row, index } of changes) {
      if (index !== undefined) inserts[index] = row ?? null;
      else if (before && row) updates.push({ id: before.row.id, version: before.version, row });
      else if (before) deletes.push({ id: before.row.id, version: before.version });
    }
    return {
      table: this.#table,
      deletes,
      updates,
      inserts: inserts.map((row, index) => ({
        row,
        sequence: this.#loaded.knownSequence(this.#table, index),
      })),
    };
  }

  #count(where: Lookup): number {
    const matches = lookupMatcher(where);
    let count = this.#loaded.count(this.#table, where);
    for (const { before, row } of this.#allChanged()) {
      if (before && matches(before.row)) count -= 1;
      if (row && matches(row)) count += 1;
    }
    return count;
  }

  /** Merges the loaded rows that this run did not change with its changed rows that match, in order. */
  #overlay(
    loaded: readonly Loaded[],
    matches: (row: T, order: number) => boolean,
    compare: (left: Ordered<T>, right: Ordered<T>) => number,
  ): T[] {
    if (this.#changed.size === 0) return loaded.map(({ row }) => row as T);
    const unchanged = loaded
      .filter(({ row }) => !this.#changed.has(row.id))
      .map(({ row, sequence }): Ordered<T> => ({ row: row as T, order: sequence }));
    const changed = [...this.#changed.values()].flatMap(({ row, order }): Ordered<T>[] =>
      row && matches(row, order) ? [{ row, order }] : [],
    );
    return [...unchanged, ...changed].sort(compare).map(({ row }) => row);
  }

  /** Returns how many rows to load for a page; null for all. Changes can remove rows from it, and later rows then move up. */
  #loadedLimit(limit: number): number | null {
    const changed = this.#allChanged().filter(({ before }) => before !== undefined);
    return limit === Infinity ? null : limit + changed.length;
  }

  #allChanged(): Changed<T>[] {
    return [...this.#replaced, ...this.#changed.values()];
  }

  /** Returns the change of a row that exists. */
  #change(id: string): Changed<T> {
    const known = this.#changed.get(id);
    if (known) return known;
    const before = this.#loaded.row(this.#table, id);
    if (!before) throw noRow(id);
    const changed: Changed<T> = { before, row: before.row as T, order: before.sequence, index: undefined };
    this.#changed.set(id, changed);
    return changed;
  }

  #existing(id: string): T | undefined {
    return rowOf(this.#isStrict ? this.#loaded.row(this.#table, id) : this.#loaded.knownRow(this.#table, id));
  }
}

interface Ordered<T> {
  readonly row: T;
  readonly order: number;
}

// The storage adapter returns rows of the table that was asked for.
const rowOf = <T extends Row>(loaded: Loaded | undefined): T | undefined => loaded?.row as T | undefined;

const noRow = (id: string): Error => new Error(`There is no row with the id ${id}`);

const textsOf = (containing: object | undefined): Record<string, string> | undefined => {
  const texts = Object.entries(containing ?? {}).filter(([, text]) => text !== undefined);
  return texts.length === 0 ? undefined : Object.fromEntries<string>(texts);
};
