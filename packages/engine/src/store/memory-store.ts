import {
  type CollectionName,
  type ExpiringName,
  type Rows,
  type Table,
  collectionNames,
  collections,
} from "./collections.js";
import { type CollectionState, MemoryCollection, MemoryExpiringCollection } from "./memory-collection.js";
import type { Row } from "./rows.js";
import type { Lookup, Store, CollectionLookup } from "./store.js";

/** The rows of all collections, by name. */
export type StoreState = { [Name in CollectionName]: CollectionState<Rows[Name]> };

type MemoryCollections = {
  readonly [Name in CollectionName]: Name extends ExpiringName
    ? MemoryExpiringCollection<Rows[Name], CollectionLookup<Name>>
    : MemoryCollection<Rows[Name], CollectionLookup<Name>>;
};

/** The constructor makes every collection that is declared. */
export interface MemoryStore extends MemoryCollections {}

/** Keeps all rows in the process's memory. */
export class MemoryStore implements Store {
  #version = 0;
  #lastTakenVersion = 0;

  constructor() {
    const onChange = (): void => {
      this.#version += 1;
    };
    for (const name of collectionNames) {
      const { keys, expires }: Table = collections[name];
      const collection = expires
        ? new MemoryExpiringCollection<Row, Lookup>(keys, onChange)
        : new MemoryCollection<Row, Lookup>(keys, onChange);
      Object.assign(this, { [name]: collection });
    }
  }

  /** Returns whether anything has changed since the last call. */
  hasChangedSinceLastCall(): boolean {
    const hasChanged = this.#version !== this.#lastTakenVersion;
    this.#lastTakenVersion = this.#version;
    return hasChanged;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** Shares its rows with the store; rows are immutable. */
  get state(): StoreState {
    const states = collectionNames.map((name) => [name, this[name].state]);
    // Each collection has the rows of its name.
    return Object.fromEntries(states) as StoreState;
  }

  /** Fills a new store. */
  restore(state: StoreState): void {
    for (const name of collectionNames) {
      // Each collection has the rows of its name, which the compiler does not follow through the loop.
      const collection = this[name] as unknown as MemoryCollection<Row, Lookup>;
      collection.restore(state[name]);
    }
  }
}
