import type { Key } from "./keys.js";
import { type RowEntry, ExpiryIndex, type EntryGroup, KeyIndex, type RowIndex } from "./memory-index.js";
import { createTextMatcher } from "./row-fields.js";
import type { Row } from "./rows.js";
import { SortedList } from "./sorted-list.js";
import type { Collection, ExpiringCollection, Lookup, PageRequest } from "./store.js";

/** The rows of one collection with their sequence numbers, oldest first, and the next number. */
export interface CollectionState<T extends Row> {
  next: number;
  rows: [sequence: number, row: T][];
}

/** Maximum number of fields of the keys of a collection, because a number has a bit for each of them. */
const maxKeyFields = 32;

/**
 * Keeps rows in the process's memory. An index is built when its combination of fields is first looked up, and kept up to
 * date from then on.
 */
export class MemoryCollection<T extends Row, Where extends Lookup> implements Collection<T, Where> {
  readonly #keys: readonly Key[];
  readonly #onChange: () => void;
  readonly #entries = new Map<string, RowEntry<T>>();
  /** A bit for each field of the keys; a combination of fields is the sum of its bits. */
  readonly #fieldBits: ReadonlyMap<string, number>;
  readonly #keyIndexes = new Map<number, KeyIndex<T>>();
  readonly #indexes: RowIndex<T>[] = [];
  #nextSequence = 1;

  /** `onChange` is called after every change. */
  constructor(keys: readonly Key[], onChange: () => void) {
    this.#keys = keys;
    this.#onChange = onChange;
    const fields = new Set(keys.flatMap(({ by, and = [] }) => [...by, ...and]));
    if (fields.size > maxKeyFields) throw new Error(`The keys have more than ${maxKeyFields} fields`);
    this.#fieldBits = new Map([...fields].map((field, index) => [field, 1 << index]));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): T | undefined {
    return this.#entries.get(id)?.row;
  }

  find(where: Where): T | undefined {
    let earliestEntry: RowEntry<T> | undefined;
    for (const group of this.#findGroups(where)) {
      const firstEntry = group instanceof SortedList ? group.first : group;
      if (firstEntry && (!earliestEntry || firstEntry.sequence < earliestEntry.sequence))
        earliestEntry = firstEntry;
    }
    return earliestEntry?.row;
  }

  list(where: Where): T[] {
    return mergeGroups(this.#findGroups(where).map(listEntries)).map(({ row }) => row);
  }

  count(where: Where): number {
    const groups = this.#findGroups(where);
    const [firstGroup] = groups;
    if (groups.length > 1) return mergeGroups(groups.map(listEntries)).length;
    return firstGroup === undefined ? 0 : firstGroup instanceof SortedList ? firstGroup.size : 1;
  }

  listPage({ where, containing, after, limit, newestFirst = false }: PageRequest<T, Where>): T[] {
    const matches = createTextMatcher(containing);
    const pagesByGroup = this.#findGroups(where).map((group) => {
      const entries: RowEntry<T>[] = [];
      for (const entry of iterateEntriesAfter(group, after, newestFirst)) {
        if (entries.length >= limit) break;
        if (matches(entry.row)) entries.push(entry);
      }
      return newestFirst ? entries.reverse() : entries;
    });
    const entries = mergeGroups(pagesByGroup);
    const page = newestFirst ? entries.slice(-limit).reverse() : entries.slice(0, limit);
    return page.map(({ row }) => row);
  }

  insert(row: T): T {
    if (this.#entries.has(row.id)) throw new Error(`A row with the id ${row.id} exists`);
    const entry = { sequence: this.#nextSequence, row };
    this.#nextSequence += 1;
    this.#entries.set(row.id, entry);
    for (const index of this.#indexes) index.add(entry);
    this.#onChange();
    return row;
  }

  update(id: string, changes: Partial<Omit<T, "id">>): T {
    const entry = this.#requireEntry(id);
    const row = { ...entry.row, ...changes };
    const affectedIndexes = this.#indexes.filter((index) => index.hasMoved(entry.row, row));
    for (const index of affectedIndexes) index.remove(entry);
    entry.row = row;
    for (const index of affectedIndexes) index.add(entry);
    this.#onChange();
    return row;
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    for (const index of this.#indexes) index.remove(entry);
    this.#onChange();
  }

  getSequence(id: string): number {
    return this.#requireEntry(id).sequence;
  }

  /** Shares its rows with the collection. */
  get state(): CollectionState<T> {
    return {
      next: this.#nextSequence,
      rows: Array.from(this.#entries.values(), ({ sequence, row }) => [sequence, row]),
    };
  }

  /** Fills a new collection. */
  restore({ next, rows }: CollectionState<T>): void {
    for (const [sequence, row] of rows) this.#entries.set(row.id, { sequence, row });
    this.#nextSequence = next;
  }

  /** Fills an index with the existing rows and keeps it up to date. */
  protected addIndex<Index extends RowIndex<T>>(index: Index): Index {
    for (const entry of this.#entries.values()) index.add(entry);
    this.#indexes.push(index);
    return index;
  }

  #requireEntry(id: string): RowEntry<T> {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error(`There is no row with the id ${id}`);
    return entry;
  }

  #findGroups(where: Where): EntryGroup<T>[] {
    const lookup: Lookup = where;
    let fieldMask = 0;
    for (const field in lookup) if (lookup[field] !== undefined) fieldMask |= this.#getFieldBit(field);
    return (this.#keyIndexes.get(fieldMask) ?? this.#createKeyIndex(fieldMask)).findGroups(lookup);
  }

  #getFieldBit(field: string): number {
    const bit = this.#fieldBits.get(field);
    if (bit === undefined) throw new Error(`No key has the field ${field}`);
    return bit;
  }

  #createKeyIndex(fieldMask: number): KeyIndex<T> {
    const fields = [...this.#fieldBits].flatMap(([field, bit]) => ((fieldMask & bit) === 0 ? [] : [field]));
    const isDeclared = this.#keys.some(
      ({ by, and = [] }) =>
        by.every((field) => fields.includes(field)) &&
        fields.every((field) => by.includes(field) || and.includes(field)),
    );
    if (fieldMask !== 0 && !isDeclared) throw new Error(`No key has the fields ${fields.join(", ")}`);
    const index = this.addIndex(new KeyIndex<T>(fields));
    this.#keyIndexes.set(fieldMask, index);
    return index;
  }
}

/** A collection in memory whose rows can expire. */
export class MemoryExpiringCollection<T extends Row, Where extends Lookup>
  extends MemoryCollection<T, Where>
  implements ExpiringCollection<T, Where>
{
  #expiryIndex: ExpiryIndex<T> | undefined;

  listExpired(time: number, limit = Infinity): T[] {
    this.#expiryIndex ??= this.addIndex(new ExpiryIndex<T>());
    return this.#expiryIndex.listExpired(time, limit);
  }
}

const listEntries = <T>(group: EntryGroup<T>): RowEntry<T>[] =>
  group instanceof SortedList ? group.toArray() : [group];

/** Merges the entries of several groups; a row with an array may be in more than one. */
const mergeGroups = <T>(groups: RowEntry<T>[][]): RowEntry<T>[] => {
  const [firstGroup = []] = groups;
  if (groups.length <= 1) return firstGroup;
  return [...new Set(groups.flat())].sort((left, right) => left.sequence - right.sequence);
};

/** Iterates over the entries of a group that come after an insertion number, in the order of a page. */
const iterateEntriesAfter = <T>(
  group: EntryGroup<T>,
  after: number | undefined,
  isNewestFirst: boolean,
): Iterable<RowEntry<T>> => {
  const start = after ?? (isNewestFirst ? Infinity : 0);
  if (!(group instanceof SortedList)) {
    return (isNewestFirst ? group.sequence < start : group.sequence > start) ? [group] : [];
  }
  return isNewestFirst
    ? group.iterateBackFrom(({ sequence }) => sequence >= start)
    : group.iterateFrom(({ sequence }) => sequence > start);
};
