import { haveSameElements } from "@mgmt/internal/values/same-elements";
import type { KeyValue } from "./keys.js";
import { type FieldReader, type FieldContent, getExpiryTime, createFieldReader } from "./row-fields.js";
import type { Row } from "./rows.js";
import { SortedList } from "./sorted-list.js";
import type { Lookup } from "./store.js";

/** A row with its sequence number. Indexes share it with the collection, which replaces the row. */
export interface RowEntry<T> {
  readonly sequence: number;
  row: T;
}

/** An index of rows, which a collection keeps up to date. */
export interface RowIndex<T> {
  add(entry: RowEntry<T>): void;
  remove(entry: RowEntry<T>): void;
  /** Returns whether the two versions of a row have different places in the index. */
  hasMoved(before: T, after: T): boolean;
}

/** The entries that have one key, oldest first. Most keys have one entry, which saves its list. */
export type EntryGroup<T> = RowEntry<T> | SortedList<RowEntry<T>>;

/** Groups entries by the values of one or more fields. */
export class KeyIndex<T extends Row> implements RowIndex<T> {
  readonly #fields: readonly string[];
  readonly #readers: readonly FieldReader[];
  readonly #groups = new Map<KeyValue, EntryGroup<T>>();

  constructor(fields: readonly string[]) {
    this.#fields = fields;
    this.#readers = fields.map(createFieldReader);
  }

  /** Returns the groups that match a lookup: one, or one for each combination of the alternatives in the lookup. */
  findGroups(lookup: Lookup): EntryGroup<T>[] {
    const values = this.#fields.map((field) => lookup[field] ?? null);
    const groups: EntryGroup<T>[] = [];
    for (const key of combineKeys(values)) {
      const group = this.#groups.get(key);
      if (group !== undefined) groups.push(group);
    }
    return groups;
  }

  add(entry: RowEntry<T>): void {
    for (const key of this.#listKeys(entry.row)) {
      const group = this.#groups.get(key);
      if (group === undefined) this.#groups.set(key, entry);
      else if (group instanceof SortedList) group.add(entry);
      else {
        const list = new SortedList<RowEntry<T>>((left, right) => left.sequence - right.sequence);
        list.add(group);
        list.add(entry);
        this.#groups.set(key, list);
      }
    }
  }

  remove(entry: RowEntry<T>): void {
    for (const key of this.#listKeys(entry.row)) {
      const group = this.#groups.get(key);
      if (group instanceof SortedList) group.remove(entry);
      if (group === entry || (group instanceof SortedList && group.size === 0)) this.#groups.delete(key);
    }
  }

  hasMoved(before: T, after: T): boolean {
    return this.#readers.some((read) => {
      const [valueBefore, valueAfter] = [read(before), read(after)];
      return (
        valueBefore !== valueAfter &&
        !(
          Array.isArray(valueBefore) &&
          Array.isArray(valueAfter) &&
          haveSameElements(valueBefore, valueAfter)
        )
      );
    });
  }

  #listKeys(row: T): readonly KeyValue[] {
    return combineKeys(this.#readers.map((read) => read(row)));
  }
}

/** Orders the entries of rows that expire, or of jobs that fall due, by the time when they do. */
export class ExpiryIndex<T extends Row> implements RowIndex<T> {
  readonly #entries = new SortedList<RowEntry<T>>(
    (left, right) => getExpiryTime(left.row) - getExpiryTime(right.row) || left.sequence - right.sequence,
  );

  /**
   * Returns the rows that have expired at `time`, earliest first.
   *
   * @param limit maximum number of rows.
   */
  listExpired(time: number, limit: number): T[] {
    const rows: T[] = [];
    for (const { row } of this.#entries.iterateFrom(() => true)) {
      if (getExpiryTime(row) > time || rows.length >= limit) break;
      rows.push(row);
    }
    return rows;
  }

  add(entry: RowEntry<T>): void {
    if (getExpiryTime(entry.row) !== Infinity) this.#entries.add(entry);
  }

  remove(entry: RowEntry<T>): void {
    if (getExpiryTime(entry.row) !== Infinity) this.#entries.remove(entry);
  }

  hasMoved(before: T, after: T): boolean {
    return getExpiryTime(before) !== getExpiryTime(after);
  }
}

/** Returns the keys of all combinations of these values. An array lists alternatives. */
const combineKeys = (values: readonly FieldContent[]): readonly KeyValue[] => {
  const [firstValue] = values;
  if (values.length === 1 && firstValue !== undefined)
    return Array.isArray(firstValue) ? [...new Set(firstValue)] : [firstValue as KeyValue];
  let keys = [""];
  for (const value of values) {
    keys = Array.isArray(value)
      ? [...new Set<KeyValue>(value)].flatMap((element) => keys.map((key) => key + encodeKeyValue(element)))
      : keys.map((key) => key + encodeKeyValue(value as KeyValue));
  }
  return keys;
};

/** Encodes a value so that concatenated encodings are unambiguous. */
const encodeKeyValue = (value: KeyValue): string =>
  typeof value === "string" ? `${String(value.length)}:${value}` : `${String(value)};`;
