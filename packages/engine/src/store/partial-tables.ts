import { collectionNames } from "./collections.js";
import type { Row } from "./rows.js";
import type { Lookup, Store } from "./store.js";
import type { TableChanges } from "./storage-adapter.js";
import { PartialCollection } from "./partial-collection.js";
import type { CountPreload, RateWindow, RateWindowRow } from "./rate-window.js";
import type { WorkingSet } from "./working-set.js";

/** The collections of the API. A run uses few of them, so each is made when it is used. */
class LazyCollections {
  constructor(readonly tables: Pick<PartialTables, "getTable">) {}
}

for (const name of collectionNames) {
  Object.defineProperty(LazyCollections.prototype, name, {
    get(this: LazyCollections) {
      return this.tables.getTable(name);
    },
  });
}

/** The tables as one run of a callback sees them: the rows that its transaction has loaded, with the changes of this run. */
export class PartialTables {
  readonly #workingSet: WorkingSet;
  readonly #isStrict: boolean;
  readonly #tables = new Map<string, PartialCollection<Row, Lookup>>();

  /** @param isStrict whether an insertion loads the row with its id, to reject it. Otherwise the commit rejects it. */
  constructor(workingSet: WorkingSet, { isStrict }: { isStrict: boolean }) {
    this.#workingSet = workingSet;
    this.#isStrict = isStrict;
  }

  /** Returns a table of the server itself, or a collection of the store. */
  getTable<T extends Row, Where extends Lookup>(name: string): PartialCollection<T, Where> {
    const existingTable = this.#tables.get(name);
    const table = existingTable ?? new PartialCollection<Row, Lookup>(name, this.#workingSet, this.#isStrict);
    if (existingTable === undefined) this.#tables.set(name, table);
    // The caller knows the rows of its table.
    return table as unknown as PartialCollection<T, Where>;
  }

  /** The collections of the API. */
  get store(): Store {
    // `LazyCollections` defines a getter for every collection.
    return new LazyCollections(this) as unknown as Store;
  }

  /** Registers a new id that the callback has generated. Lookups by it find only rows that the callback itself inserts. */
  addNewId(id: string): void {
    this.#workingSet.addNewId(id);
  }

  /** Counts a request in a window of the rate limit, and returns the window. Further runs of the callback do not count it again. */
  countInRateWindow(preload: CountPreload): RateWindow {
    const [window] = this.#workingSet.getRange(preload);
    // The storage adapter always returns a window, because it starts one if there is none.
    return window?.row as RateWindowRow;
  }

  get changes(): TableChanges[] {
    const allChanges: TableChanges[] = [];
    for (const { changes } of this.#tables.values()) if (changes) allChanges.push(changes);
    return allChanges;
  }
}
