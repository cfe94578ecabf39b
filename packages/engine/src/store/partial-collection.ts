import { createTextMatcher, getExpiryTime, createLookupMatcher } from "./row-fields.js";
import type { Row } from "./rows.js";
import type { ExpiringCollection, Lookup, PageRequest } from "./store.js";
import type { TableChanges } from "./storage-adapter.js";
import type { LoadedRow } from "./preload.js";
import type { WorkingSet } from "./working-set.js";

/** A row that the callback has changed: the row before, and the row now. */
interface ChangedRow<T> {
  /** Undefined means a row that the callback has inserted. */
  readonly before: LoadedRow | undefined;
  /** Undefined means a row that the callback has deleted. */
  row: T | undefined;
  /** The sequence number, or a provisional one for an inserted row whose number no run has read. */
  readonly sortSequence: number;
  /** Number of rows that the callback inserted before this one; undefined for a row that it did not insert. */
  readonly insertionIndex: number | undefined;
}

/** Larger than every sequence number of a stored row. */
const firstProvisionalSequence = 2 ** 52;

/** The rows of one collection as one run of a callback sees them: the loaded rows with the changes of this run. */
export class PartialCollection<T extends Row, Where extends Lookup> implements ExpiringCollection<T, Where> {
  readonly #table: string;
  readonly #workingSet: WorkingSet;
  readonly #isStrict: boolean;
  readonly #changedRows = new Map<string, ChangedRow<T>>();
  /** Rows that were changed before another row with their id was inserted. */
  readonly #replacedRows: ChangedRow<T>[] = [];
  #insertedCount = 0;

  /** @param isStrict whether an insertion loads the row with its id, to reject it. Otherwise the commit rejects it. */
  constructor(table: string, workingSet: WorkingSet, isStrict: boolean) {
    this.#table = table;
    this.#workingSet = workingSet;
    this.#isStrict = isStrict;
  }

  get size(): number {
    return this.#countRows({});
  }

  get(id: string): T | undefined {
    const changedRow = this.#changedRows.get(id);
    return changedRow ? changedRow.row : getRow(this.#workingSet.getRow(this.#table, id));
  }

  /** Returns a row that this callback has read or changed; undefined for any other. */
  getRowIfLoaded(id: string): T | undefined {
    const changedRow = this.#changedRows.get(id);
    return changedRow ? changedRow.row : getRow(this.#workingSet.getRowIfLoaded(this.#table, id));
  }

  find(where: Where): T | undefined {
    return this.listPage({ where, limit: 1 })[0];
  }

  list(where: Where): T[] {
    return this.listPage({ where, limit: Infinity });
  }

  count(where: Where): number {
    return this.#countRows(where);
  }

  listPage({ where, containing, after, limit, newestFirst = false }: PageRequest<T, Where>): T[] {
    const texts = omitUndefinedTexts(containing);
    const loadedRows = this.#workingSet.getRange({
      read: "range",
      table: this.#table,
      where,
      ...(texts && { containing: texts }),
      after: after ?? null,
      limit: this.#limitToLoad(limit),
      newestFirst,
    });
    const [matchesWhere, contains] = [createLookupMatcher(where), createTextMatcher(containing)];
    const isAfter = (order: number): boolean =>
      after === undefined || (newestFirst ? order < after : order > after);
    const rows = this.#mergeChanges(
      loadedRows,
      (row, order) => isAfter(order) && matchesWhere(row) && contains(row),
      (left, right) =>
        newestFirst ? right.sortSequence - left.sortSequence : left.sortSequence - right.sortSequence,
    );
    return rows.slice(0, limit);
  }

  listExpired(time: number, limit = Infinity): T[] {
    const rows = this.#mergeChanges(
      this.#workingSet.getRange({
        read: "expired",
        table: this.#table,
        time,
        limit: this.#limitToLoad(limit),
      }),
      (row) => getExpiryTime(row) <= time,
      (left, right) =>
        getExpiryTime(left.row) - getExpiryTime(right.row) || left.sortSequence - right.sortSequence,
    );
    return rows.slice(0, limit);
  }

  /** Returns the version of a row, as the transaction has loaded it; undefined when there is no row. */
  getVersion(id: string): string | undefined {
    return this.#workingSet.getRow(this.#table, id)?.version;
  }

  insert(row: T): T {
    const changedRow = this.#changedRows.get(row.id);
    const existingRow = changedRow ? changedRow.row : this.#findExistingRow(row.id);
    if (existingRow) throw new Error(`A row with the id ${row.id} exists`);
    if (changedRow) this.#replacedRows.push(changedRow);
    // Moves a row that was deleted and inserted again to the end.
    this.#changedRows.delete(row.id);
    const insertionIndex = this.#insertedCount;
    const sortSequence =
      this.#workingSet.getSequenceIfLoaded(this.#table, insertionIndex) ??
      firstProvisionalSequence + insertionIndex;
    this.#changedRows.set(row.id, { before: undefined, row, sortSequence, insertionIndex });
    this.#insertedCount += 1;
    return row;
  }

  update(id: string, changes: Partial<Omit<T, "id">>): T {
    const currentRow = this.get(id);
    if (!currentRow) throw noRowError(id);
    const row = { ...currentRow, ...changes };
    this.#getOrAddChange(id).row = row;
    return row;
  }

  delete(id: string): void {
    if (this.get(id)) this.#getOrAddChange(id).row = undefined;
  }

  getSequence(id: string): number {
    const changedRow = this.#changedRows.get(id);
    if (changedRow?.row && changedRow.insertionIndex !== undefined)
      return this.#workingSet.getSequence(this.#table, changedRow.insertionIndex);
    const loadedRow = changedRow?.row
      ? changedRow.before
      : changedRow
        ? undefined
        : this.#workingSet.getRow(this.#table, id);
    if (!loadedRow) throw noRowError(id);
    return loadedRow.sequence;
  }

  /** The changes of this run; undefined when there are none. */
  get changes(): TableChanges | undefined {
    if (this.#changedRows.size === 0 && this.#replacedRows.length === 0) return undefined;
    const changes = this.#listAllChangedRows();
    const inserts = Array.from({ length: this.#insertedCount }, (): Row | null => null);
    const [updates, deletes]: [TableChanges["updates"][number][], TableChanges["deletes"][number][]] = [
      [],
      [],
    ];
    for (const { before, row, insertionIndex } of changes) {
      if (insertionIndex !== undefined) inserts[insertionIndex] = row ?? null;
      else if (before && row) updates.push({ id: before.row.id, version: before.version, row });
      else if (before) deletes.push({ id: before.row.id, version: before.version });
    }
    return {
      table: this.#table,
      deletes,
      updates,
      inserts: inserts.map((row, index) => ({
        row,
        sequence: this.#workingSet.getSequenceIfLoaded(this.#table, index),
      })),
    };
  }

  #countRows(where: Lookup): number {
    const matches = createLookupMatcher(where);
    let count = this.#workingSet.getCount(this.#table, where);
    for (const { before, row } of this.#listAllChangedRows()) {
      if (before && matches(before.row)) count -= 1;
      if (row && matches(row)) count += 1;
    }
    return count;
  }

  /** Merges the loaded rows that this run did not change with its changed rows that match, in order. */
  #mergeChanges(
    loadedRows: readonly LoadedRow[],
    matches: (row: T, order: number) => boolean,
    compare: (left: OrderedRow<T>, right: OrderedRow<T>) => number,
  ): T[] {
    if (this.#changedRows.size === 0) return loadedRows.map(({ row }) => row as T);
    const unchangedRows = loadedRows
      .filter(({ row }) => !this.#changedRows.has(row.id))
      .map(({ row, sequence }): OrderedRow<T> => ({ row: row as T, sortSequence: sequence }));
    const matchingChangedRows = [...this.#changedRows.values()].flatMap(
      ({ row, sortSequence }): OrderedRow<T>[] =>
        row && matches(row, sortSequence) ? [{ row, sortSequence }] : [],
    );
    return [...unchangedRows, ...matchingChangedRows].sort(compare).map(({ row }) => row);
  }

  /** Returns how many rows to load for a page; null for all. Changes can remove rows from it, and later rows then move up. */
  #limitToLoad(limit: number): number | null {
    const changedStoredRows = this.#listAllChangedRows().filter(({ before }) => before !== undefined);
    return limit === Infinity ? null : limit + changedStoredRows.length;
  }

  #listAllChangedRows(): ChangedRow<T>[] {
    return [...this.#replacedRows, ...this.#changedRows.values()];
  }

  /** Returns the change of a row that exists. */
  #getOrAddChange(id: string): ChangedRow<T> {
    const existingChange = this.#changedRows.get(id);
    if (existingChange) return existingChange;
    const before = this.#workingSet.getRow(this.#table, id);
    if (!before) throw noRowError(id);
    const changedRow: ChangedRow<T> = {
      before,
      row: before.row as T,
      sortSequence: before.sequence,
      insertionIndex: undefined,
    };
    this.#changedRows.set(id, changedRow);
    return changedRow;
  }

  #findExistingRow(id: string): T | undefined {
    return getRow(
      this.#isStrict
        ? this.#workingSet.getRow(this.#table, id)
        : this.#workingSet.getRowIfLoaded(this.#table, id),
    );
  }
}

interface OrderedRow<T> {
  readonly row: T;
  readonly sortSequence: number;
}

// The storage adapter returns rows of the table that was asked for.
const getRow = <T extends Row>(loadedRow: LoadedRow | undefined): T | undefined =>
  loadedRow?.row as T | undefined;

const noRowError = (id: string): Error => new Error(`There is no row with the id ${id}`);

const omitUndefinedTexts = (containing: object | undefined): Record<string, string> | undefined => {
  const texts = Object.entries(containing ?? {}).filter(([, text]) => text !== undefined);
  return texts.length === 0 ? undefined : Object.fromEntries<string>(texts);
};
