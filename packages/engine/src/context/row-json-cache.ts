import { haveSameElements } from "@mgmt/internal/values/same-elements";
import { type CollectionName, collectionNames } from "../store/collections.js";
import type { Row } from "../store/rows.js";
import type { Store } from "../store/store.js";
import type { DatabaseEngine } from "./database-engine.js";

/** The data on which the JSON of a row may depend, besides the row itself. */
export interface SerializationContext {
  readonly store: { readonly [Name in CollectionName]: Pick<Store[Name], "get" | "list"> };
  readonly databaseEngine: Pick<DatabaseEngine, "getEndpoints">;
  /** Returns `{base_url}/v1/<collection>/<id>`. */
  buildUrl(collection: string, id: string): string;
}

/** Builds the value that represents a row in responses. */
export type RowSerializer<T> = (context: SerializationContext, row: T) => unknown;

/** Reads something again, and returns whether it is still the same. */
type IsUnchanged = () => boolean;

interface CachedRowText {
  readonly text: string;
  /** The rows that the text was made from. */
  readonly rowChecks: readonly IsUnchanged[];
  /** The addresses that the text was made from, which change without a change of the store. */
  readonly addressChecks: readonly IsUnchanged[];
  /** The version of the store in which `rows` were compared last. */
  version: number;
}

interface CachedPage {
  readonly texts: readonly string[];
  readonly pagination: string;
  readonly json: string;
}

/** The JSON of the values that one function builds. */
interface SerializerCache {
  readonly rowTexts: WeakMap<Row, CachedRowText>;
  /** The latest page that starts with a row. */
  readonly pages: WeakMap<Row, CachedPage>;
}

/** Limits the memory of the cache. */
const maxCachedTexts = 10_000;

/**
 * Caches the JSON of rows, because lists print the same rows again and again. Cached JSON is used only as long as everything that its
 * serializer has read is unchanged.
 */
export class RowJsonCache {
  readonly #getVersion: () => number;
  /** Records the rows that a serializer reads. */
  readonly #context: SerializationContext;
  #caches = new WeakMap<RowSerializer<never>, SerializerCache>();
  #cachedTextCount = 0;
  #rowChecks: IsUnchanged[] = [];
  #addressChecks: IsUnchanged[] = [];

  /** @param getVersion returns a number that changes whenever the store does. */
  constructor(context: SerializationContext, getVersion: () => number) {
    this.#getVersion = getVersion;
    this.#context = {
      store: this.#createRecordingStore(context.store),
      databaseEngine: {
        getEndpoints: (id) => this.#readAddresses(() => context.databaseEngine.getEndpoints(id)),
      },
      buildUrl: context.buildUrl,
    };
  }

  /**
   * Returns the JSON of a page: the results of `serialize` for each row, and the pagination. `serialize` must be the same function each time. The
   * page of the same rows is the same string, which need not be joined again to be sent.
   */
  renderPage<T extends Row>(serialize: RowSerializer<T>, rows: readonly T[], pagination: string): string {
    const [first] = rows;
    if (first === undefined) return buildPageJson([], pagination);
    const { rowTexts: cachedTexts, pages } = this.#getCache(serialize);
    const texts = rows.map((row) => this.#getRowText(cachedTexts, serialize, row));
    const cachedPage = pages.get(first);
    if (cachedPage?.pagination === pagination && haveSameElements(cachedPage.texts, texts))
      return cachedPage.json;
    const json = buildPageJson(texts, pagination);
    pages.set(first, { texts, pagination, json });
    return json;
  }

  #getRowText<T extends Row>(
    texts: SerializerCache["rowTexts"],
    serialize: RowSerializer<T>,
    row: T,
  ): string {
    const cachedText = texts.get(row);
    if (cachedText && this.#isUpToDate(cachedText)) return cachedText.text;
    if (cachedText === undefined) this.#cachedTextCount += 1;
    this.#rowChecks = [];
    this.#addressChecks = [];
    const text = JSON.stringify(serialize(this.#context, row));
    texts.set(row, {
      text,
      rowChecks: this.#rowChecks,
      addressChecks: this.#addressChecks,
      version: this.#getVersion(),
    });
    return text;
  }

  #getCache<T>(serialize: RowSerializer<T>): SerializerCache {
    if (this.#cachedTextCount >= maxCachedTexts) {
      this.#caches = new WeakMap();
      this.#cachedTextCount = 0;
    }
    const existingCache = this.#caches.get(serialize);
    if (existingCache) return existingCache;
    const texts: SerializerCache = { rowTexts: new WeakMap(), pages: new WeakMap() };
    this.#caches.set(serialize, texts);
    return texts;
  }

  #isUpToDate(cachedText: CachedRowText): boolean {
    const version = this.#getVersion();
    if (cachedText.version !== version) {
      if (!cachedText.rowChecks.every((isUnchanged) => isUnchanged())) return false;
      cachedText.version = version;
    }
    return cachedText.addressChecks.every((isUnchanged) => isUnchanged());
  }

  #createRecordingStore(store: SerializationContext["store"]): SerializationContext["store"] {
    const collections = collectionNames.map((name) => {
      const collection: ReadableCollection<never> = store[name];
      return [name, this.#createRecordingCollection(collection)] as const;
    });
    return Object.fromEntries(collections) as unknown as SerializationContext["store"];
  }

  #createRecordingCollection<Where>(collection: ReadableCollection<Where>): ReadableCollection<Where> {
    return {
      get: (id) => {
        const row = collection.get(id);
        this.#rowChecks.push(() => collection.get(id) === row);
        return row;
      },
      list: (where) => {
        const rows = collection.list(where);
        this.#rowChecks.push(() => haveSameElements(collection.list(where), rows));
        return rows;
      },
    };
  }

  #readAddresses<T>(read: () => T): T {
    const value = read();
    this.#addressChecks.push(() => {
      const now = read();
      return areAddressesEqual(now, value);
    });
    return value;
  }
}

const buildPageJson = (texts: readonly string[], pagination: string): string =>
  `{"data":[${texts.join(",")}],"pagination":${pagination}}`;

interface ReadableCollection<Where> {
  get(id: string): Row | undefined;
  list(where: Where): readonly Row[];
}

/** Returns whether two addresses, or objects of them, are equal. */
const areAddressesEqual = (left: unknown, right: unknown): boolean => {
  if (left === right) return true;
  if (!(left instanceof Object) || !(right instanceof Object)) return false;
  const entries = Object.entries(left);
  return (
    entries.length === Object.keys(right).length &&
    entries.every(([name, value]) => areAddressesEqual(value, Reflect.get(right, name)))
  );
};
