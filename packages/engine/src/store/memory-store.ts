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
import type { Lookup, Store, Where } from "./store.js";

export type StoreState = { [Name in CollectionName]: CollectionState<Rows[Name]> };

type Collections = {
  readonly [Name in CollectionName]: Name extends ExpiringName
    ? MemoryExpiringCollection<Rows[Name], Where<Name>>
    : MemoryCollection<Rows[Name], Where<Name>>;
};

/** The constructor makes every collection that is declared. */
export interface MemoryStore extends Collections {}

/** Keeps all rows in the process's memory. */
export class MemoryStore implements Store {
  #version = 0;
  #taken = 0;

  constructor() {
    const changed = (): void => {
      this.#version += 1;
    };
    for (const name of collectionNames) {
      const { keys, expires }: Table = collections[name];
      const collection = expires
        ? new MemoryExpiringCollection<Row, Lookup>(keys, changed)
        : new MemoryCollection<Row, Lookup>(keys, changed);
      Object.assign(this, { [name]: collection });
    }
  }

  /** Returns whether anything has changed since the last call. */
  takeChanged(): boolean {
    const changed = this.#version !== this.#taken;
    this.#taken = this.#version;
    return changed;
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
  fill(state: StoreState): void {
    for (const name of collectionNames) {
      // Each collection has the rows of its name, which the compiler does not follow through the loop.
      const collection = this[name] as unknown as MemoryCollection<Row, Lookup>;
      collection.fill(state[name]);
    }
  }
}
