import { type CollectionName, collectionNames } from "../store/collections.js";
import type { Row } from "../store/rows.js";
import type { Store } from "../store/store.js";
import type { DatabaseEngine } from "./database-engine.js";

/** The data on which the JSON of a row may depend, besides the row itself. */
export interface RowContext {
  readonly store: { readonly [Name in CollectionName]: Pick<Store[Name], "get" | "list"> };
  readonly databaseEngine: Pick<DatabaseEngine, "endpoints">;
  /** Returns `{base_url}/v1/<collection>/<id>`. */
  url(collection: string, id: string): string;
}

/** Builds the value that represents a row in responses. */
export type Present<T> = (context: RowContext, row: T) => unknown;

/** Reads something again, and returns whether it is still the same. */
type Unchanged = () => boolean;

interface RowText {
  readonly text: string;
  /** The rows that the text was made from. */
  readonly rows: readonly Unchanged[];
  /** The addresses that the text was made from, which change without a change of the store. */
  readonly addresses: readonly Unchanged[];
  /** The version of the store in which `rows` were compared last. */
  version: number;
}

/** The JSON of the values that one function builds. */
interface Texts {
  readonly rows: WeakMap<Row, RowText>;
  /** The latest list that starts with a row. */
  readonly lists: WeakMap<Row, { readonly texts: readonly string[]; readonly joined: string }>;
}

/** Bounds the memory that the cache takes. */
const maxTexts = 10_000;

/**
 * Caches the JSON of rows, because lists print the same rows again and again. Cached JSON is used only as long as everything that its
 * presentation has read is unchanged.
 */
export class RowTexts {
  readonly #version: () => number;
  /** Records the reads of a presentation. */
  readonly #context: RowContext;
  #texts = new WeakMap<Present<never>, Texts>();
  #size = 0;
  #rows: Unchanged[] = [];
  #addresses: Unchanged[] = [];

  /** @param version returns a number that changes whenever the store does. */
  constructor(context: RowContext, version: () => number) {
    this.#version = version;
    this.#context = {
      store: this.#recordingStore(context.store),
      databaseEngine: { endpoints: (id) => this.#readAddresses(() => context.databaseEngine.endpoints(id)) },
      url: context.url,
    };
  }

  /** Returns the JSON array of the results of `present` for each row. `present` must be the same function each time. */
  list<T extends Row>(present: Present<T>, rows: readonly T[]): string {
    const [first] = rows;
    if (first === undefined) return "[]";
    const { rows: known, lists } = this.#textsOf(present);
    const texts = rows.map((row) => this.#textOf(known, present, row));
    const last = lists.get(first);
    if (last && areSame(last.texts, texts)) return last.joined;
    const joined = `[${texts.join(",")}]`;
    lists.set(first, { texts, joined });
    return joined;
  }

  #textOf<T extends Row>(texts: Texts["rows"], present: Present<T>, row: T): string {
    const known = texts.get(row);
    if (known && this.#isCurrent(known)) return known.text;
    if (known === undefined) this.#size += 1;
    this.#rows = [];
    this.#addresses = [];
    const text = JSON.stringify(present(this.#context, row));
    texts.set(row, { text, rows: this.#rows, addresses: this.#addresses, version: this.#version() });
    return text;
  }

  #textsOf<T>(present: Present<T>): Texts {
    if (this.#size >= maxTexts) {
      this.#texts = new WeakMap();
      this.#size = 0;
    }
    const known = this.#texts.get(present);
    if (known) return known;
    const texts: Texts = { rows: new WeakMap(), lists: new WeakMap() };
    this.#texts.set(present, texts);
    return texts;
  }

  #isCurrent(known: RowText): boolean {
    const version = this.#version();
    if (known.version !== version) {
      if (!known.rows.every((isUnchanged) => isUnchanged())) return false;
      known.version = version;
    }
    return known.addresses.every((isUnchanged) => isUnchanged());
  }

  #recordingStore(store: RowContext["store"]): RowContext["store"] {
    const collections = collectionNames.map((name) => {
      const collection: Reads<never> = store[name];
      return [name, this.#recordingCollection(collection)] as const;
    });
    return Object.fromEntries(collections) as unknown as RowContext["store"];
  }

  #recordingCollection<W>(collection: Reads<W>): Reads<W> {
    return {
      get: (id) => {
        const row = collection.get(id);
        this.#rows.push(() => collection.get(id) === row);
        return row;
      },
      list: (where) => {
        const rows = collection.list(where);
        this.#rows.push(() => areSame(collection.list(where), rows));
        return rows;
      },
    };
  }

  #readAddresses<T>(read: () => T): T {
    const value = read();
    this.#addresses.push(() => {
      const now = read();
      return isEqual(now, value);
    });
    return value;
  }
}

interface Reads<W> {
  get(id: string): Row | undefined;
  list(where: W): readonly Row[];
}

/** Returns whether two addresses, or objects of them, are equal. */
const isEqual = (left: unknown, right: unknown): boolean => {
  if (left === right) return true;
  if (!(left instanceof Object) || !(right instanceof Object)) return false;
  const entries = Object.entries(left);
  return (
    entries.length === Object.keys(right).length &&
    entries.every(([name, value]) => isEqual(value, Reflect.get(right, name)))
  );
};

const areSame = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);
