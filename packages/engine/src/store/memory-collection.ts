import type { Key } from "./keys.js";
import { type Entry, ExpiryIndex, type Group, KeyIndex, type MemoryIndex } from "./memory-index.js";
import { containingMatcher } from "./row-fields.js";
import type { Row } from "./rows.js";
import { SortedList } from "./sorted-list.js";
import type { Collection, ExpiringCollection, Lookup, PageRequest } from "./store.js";

/** The rows of one collection with their sequence numbers, oldest first, and the next number. */
export interface CollectionState<T extends Row> {
  next: number;
  rows: [sequence: number, row: T][];
}

/**
 * Keeps rows in the process's memory. An index is built when its combination of fields is first looked up, and kept up to
 * date from then on.
 */
export class MemoryCollection<T extends Row, W extends Lookup> implements Collection<T, W> {
  readonly #keys: readonly Key[];
  readonly #changed: () => void;
  readonly #entries = new Map<string, Entry<T>>();
  /** A bit for each field of the keys; a combination of fields is the sum of its bits. */
  readonly #bits: ReadonlyMap<string, number>;
  readonly #keyIndexes = new Map<number, KeyIndex<T>>();
  readonly #indexes: MemoryIndex<T>[] = [];
  #next = 1;

  /** `changed` is called after every change. */
  constructor(keys: readonly Key[], changed: () => void) {
    this.#keys = keys;
    this.#changed = changed;
    const fields = new Set(keys.flatMap(({ by, and = [] }) => [...by, ...and]));
    this.#bits = new Map([...fields].map((field, index) => [field, 1 << index]));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): T | undefined {
    return this.#entries.get(id)?.row;
  }

  find(where: W): T | undefined {
    let earliest: Entry<T> | undefined;
    for (const group of this.#groups(where)) {
      const first = group instanceof SortedList ? group.first : group;
      if (first && (!earliest || first.sequence < earliest.sequence)) earliest = first;
    }
    return earliest?.row;
  }

  list(where: W): T[] {
    return inOrder(this.#groups(where).map(entriesOf)).map(({ row }) => row);
  }

  count(where: W): number {
    const groups = this.#groups(where);
    const [only] = groups;
    if (groups.length > 1) return inOrder(groups.map(entriesOf)).length;
    return only === undefined ? 0 : only instanceof SortedList ? only.size : 1;
  }

  page({ where, containing, after, limit, newestFirst = false }: PageRequest<T, W>): T[] {
    const matches = containingMatcher(containing);
    const chosen = this.#groups(where).map((group) => {
      const entries: Entry<T>[] = [];
      for (const entry of walk(group, after, newestFirst)) {
        if (entries.length >= limit) break;
        if (matches(entry.row)) entries.push(entry);
      }
      return newestFirst ? entries.reverse() : entries;
    });
    const entries = inOrder(chosen);
    const page = newestFirst ? entries.slice(-limit).reverse() : entries.slice(0, limit);
    return page.map(({ row }) => row);
  }

  insert(row: T): T {
    if (this.#entries.has(row.id)) throw new Error(`A row with the id ${row.id} exists`);
    const entry = { sequence: this.#next, row };
    this.#next += 1;
    this.#entries.set(row.id, entry);
    for (const index of this.#indexes) index.add(entry);
    this.#changed();
    return row;
  }

  update(id: string, changes: Partial<Omit<T, "id">>): T {
    const entry = this.#entry(id);
    const row = { ...entry.row, ...changes };
    const moved = this.#indexes.filter((index) => index.separates(entry.row, row));
    for (const index of moved) index.remove(entry);
    entry.row = row;
    for (const index of moved) index.add(entry);
    this.#changed();
    return row;
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    for (const index of this.#indexes) index.remove(entry);
    this.#changed();
  }

  sequence(id: string): number {
    return this.#entry(id).sequence;
  }

  /** Shares its rows with the collection. */
  get state(): CollectionState<T> {
    return {
      next: this.#next,
      rows: Array.from(this.#entries.values(), ({ sequence, row }) => [sequence, row]),
    };
  }

  /** Fills a new collection. */
  fill({ next, rows }: CollectionState<T>): void {
    for (const [sequence, row] of rows) this.#entries.set(row.id, { sequence, row });
    this.#next = next;
  }

  /** Fills an index with the existing rows and keeps it up to date. */
  protected maintain<Index extends MemoryIndex<T>>(index: Index): Index {
    for (const entry of this.#entries.values()) index.add(entry);
    this.#indexes.push(index);
    return index;
  }

  #entry(id: string): Entry<T> {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error(`There is no row with the id ${id}`);
    return entry;
  }

  #groups(where: W): Group<T>[] {
    const lookup: Lookup = where;
    let bits = 0;
    for (const field in lookup) if (lookup[field] !== undefined) bits |= this.#bitOf(field);
    return (this.#keyIndexes.get(bits) ?? this.#indexFor(bits)).groups(lookup);
  }

  #bitOf(field: string): number {
    const bit = this.#bits.get(field);
    if (bit === undefined) throw new Error(`No key has the field ${field}`);
    return bit;
  }

  #indexFor(bits: number): KeyIndex<T> {
    const fields = [...this.#bits].flatMap(([field, bit]) => ((bits & bit) === 0 ? [] : [field]));
    const isDeclared = this.#keys.some(
      ({ by, and = [] }) =>
        by.every((field) => fields.includes(field)) &&
        fields.every((field) => by.includes(field) || and.includes(field)),
    );
    if (bits !== 0 && !isDeclared) throw new Error(`No key has the fields ${fields.join(", ")}`);
    const index = this.maintain(new KeyIndex<T>(fields));
    this.#keyIndexes.set(bits, index);
    return index;
  }
}

export class MemoryExpiringCollection<T extends Row, W extends Lookup>
  extends MemoryCollection<T, W>
  implements ExpiringCollection<T, W>
{
  #expiry: ExpiryIndex<T> | undefined;

  listExpired(time: number, limit = Infinity): T[] {
    this.#expiry ??= this.maintain(new ExpiryIndex<T>());
    return this.#expiry.expired(time, limit);
  }
}

const entriesOf = <T>(group: Group<T>): Entry<T>[] =>
  group instanceof SortedList ? group.toArray() : [group];

/** Merges the entries of several groups; a row with an array may be in more than one. */
const inOrder = <T>(groups: Entry<T>[][]): Entry<T>[] => {
  const [only = []] = groups;
  if (groups.length <= 1) return only;
  return [...new Set(groups.flat())].sort((left, right) => left.sequence - right.sequence);
};

/** The entries of a group after a sequence number, in the order of a page. */
const walk = <T>(group: Group<T>, after: number | undefined, newestFirst: boolean): Iterable<Entry<T>> => {
  const start = after ?? (newestFirst ? Infinity : 0);
  if (!(group instanceof SortedList)) {
    return (newestFirst ? group.sequence < start : group.sequence > start) ? [group] : [];
  }
  return newestFirst
    ? group.backFrom(({ sequence }) => sequence >= start)
    : group.from(({ sequence }) => sequence > start);
};
