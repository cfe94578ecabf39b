import {
  type CollectionName,
  type ExpiringName,
  type Rows,
  type Where,
  expiringNames,
  keys,
} from "./keys.js";
import { type CollectionState, MemoryCollection, MemoryExpiringCollection } from "./memory-collection.js";
import type { Row } from "./rows.js";
import type { Lookup, Store } from "./store.js";

export type StoreState = { [Name in CollectionName]: CollectionState<Rows[Name]> };

type Collections = {
  readonly [Name in CollectionName]: Name extends ExpiringName
    ? MemoryExpiringCollection<Rows[Name], Where<Name>>
    : MemoryCollection<Rows[Name], Where<Name>>;
};

type ExpiringRow = Row & { expiresAt: number | null };

// `keys` has the names of all collections.
const names = Object.keys(keys) as CollectionName[];

const isExpiring = (name: string): boolean => expiringNames.some((each) => each === name);

/** The constructor makes a collection for every name in `keys`. */
export interface MemoryStore extends Collections {}

/** Keeps all rows in the process's memory. */
export class MemoryStore implements Store {
  #version = 0;
  #taken = 0;

  constructor() {
    const changed = (): void => {
      this.#version += 1;
    };
    for (const name of names) {
      const collection = isExpiring(name)
        ? new MemoryExpiringCollection<ExpiringRow, Lookup>(keys[name], changed)
        : new MemoryCollection<Row, Lookup>(keys[name], changed);
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
    const states = names.map((name) => [name, this[name].state]);
    // Each collection has the rows of its name.
    return Object.fromEntries(states) as StoreState;
  }

  /** Fills a new store. */
  fill(state: StoreState): void {
    for (const name of names) {
      // Each collection has the rows of its name, which the compiler does not follow through the loop.
      const collection = this[name] as unknown as MemoryCollection<Row, Lookup>;
      collection.fill(state[name]);
    }
  }
}
