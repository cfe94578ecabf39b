import type { KeyValue } from "./keys.js";
import { type FieldReader, type FieldValues, expiryOf, fieldReader } from "./row-fields.js";
import type { Row } from "./rows.js";
import { SortedList } from "./sorted-list.js";
import type { Lookup } from "./store.js";

/** A row with its sequence number. Indexes share it with the collection, which replaces the row. */
export interface Entry<T> {
  readonly sequence: number;
  row: T;
}

/** An index of rows, which a collection keeps up to date. */
export interface MemoryIndex<T> {
  add(entry: Entry<T>): void;
  remove(entry: Entry<T>): void;
  /** Returns whether the two versions of a row have different places in the index. */
  separates(before: T, after: T): boolean;
}

/** The entries that have one key, oldest first. Most keys have one entry, which saves its list. */
export type Group<T> = Entry<T> | SortedList<Entry<T>>;

/** Groups entries by the values of one or more fields. */
export class KeyIndex<T extends Row> implements MemoryIndex<T> {
  readonly #fields: readonly string[];
  readonly #readers: readonly FieldReader[];
  readonly #groups = new Map<KeyValue, Group<T>>();

  constructor(fields: readonly string[]) {
    this.#fields = fields;
    this.#readers = fields.map(fieldReader);
  }

  /** The groups that match a lookup: one, or one for each combination of its alternatives. */
  groups(lookup: Lookup): Group<T>[] {
    const values = this.#fields.map((field) => lookup[field] ?? null);
    const groups: Group<T>[] = [];
    for (const key of combinations(values)) {
      const group = this.#groups.get(key);
      if (group !== undefined) groups.push(group);
    }
    return groups;
  }

  add(entry: Entry<T>): void {
    for (const key of this.#keysOf(entry.row)) {
      const group = this.#groups.get(key);
      if (group === undefined) this.#groups.set(key, entry);
      else if (group instanceof SortedList) group.add(entry);
      else {
        const list = new SortedList<Entry<T>>((left, right) => left.sequence - right.sequence);
        list.add(group);
        list.add(entry);
        this.#groups.set(key, list);
      }
    }
  }

  remove(entry: Entry<T>): void {
    for (const key of this.#keysOf(entry.row)) {
      const group = this.#groups.get(key);
      if (group instanceof SortedList) group.remove(entry);
      if (group === entry || (group instanceof SortedList && group.size === 0)) this.#groups.delete(key);
    }
  }

  separates(before: T, after: T): boolean {
    return this.#readers.some((read) => {
      const [was, is] = [read(before), read(after)];
      return was !== is && !(Array.isArray(was) && Array.isArray(is) && sameItems(was, is));
    });
  }

  #keysOf(row: T): readonly KeyValue[] {
    return combinations(this.#readers.map((read) => read(row)));
  }
}

/** Orders the entries of rows that expire, or of jobs that fall due, by the time when they do. */
export class ExpiryIndex<T extends Row> implements MemoryIndex<T> {
  readonly #entries = new SortedList<Entry<T>>(
    (left, right) => expiryOf(left.row) - expiryOf(right.row) || left.sequence - right.sequence,
  );

  /**
   * Returns the rows that have expired at `time`, earliest first.
   *
   * @param limit maximum number of rows.
   */
  expired(time: number, limit: number): T[] {
    const rows: T[] = [];
    for (const { row } of this.#entries.from(() => true)) {
      if (expiryOf(row) > time || rows.length >= limit) break;
      rows.push(row);
    }
    return rows;
  }

  add(entry: Entry<T>): void {
    if (expiryOf(entry.row) !== Infinity) this.#entries.add(entry);
  }

  remove(entry: Entry<T>): void {
    if (expiryOf(entry.row) !== Infinity) this.#entries.remove(entry);
  }

  separates(before: T, after: T): boolean {
    return expiryOf(before) !== expiryOf(after);
  }
}

const sameItems = (left: readonly KeyValue[], right: readonly KeyValue[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);

/** Returns the keys of all combinations of these values. An array lists alternatives. */
const combinations = (values: readonly FieldValues[]): readonly KeyValue[] => {
  const [only] = values;
  if (values.length === 1 && only !== undefined)
    return Array.isArray(only) ? [...new Set(only)] : [only as KeyValue];
  let keys = [""];
  for (const value of values) {
    keys = Array.isArray(value)
      ? [...new Set<KeyValue>(value)].flatMap((item) => keys.map((key) => key + encoded(item)))
      : keys.map((key) => key + encoded(value as KeyValue));
  }
  return keys;
};

/** Encodes a value so that concatenated encodings are unambiguous. */
const encoded = (value: KeyValue): string =>
  typeof value === "string" ? `${String(value.length)}:${value}` : `${String(value)};`;
