import { type CollectionName, type Rows, collectionNames, collections } from "../../src/store/collections.js";
import type { StoreState } from "../../src/store/memory-store.js";
import type { Store } from "../../src/store/store.js";

/** A store that the conformance suite tests. */
export interface StoreUnderTest {
  /** Runs one synchronous step, as a request does, and commits its changes. */
  run<T>(step: (store: Store) => T): Promise<T>;
  /** Returns the rows of all collections with their sequence numbers. */
  state(): Promise<StoreState>;
  close(): Promise<void>;
}

/** Opens a store with the rows of a state; an empty one without it. */
export type OpenStore = (state?: StoreState) => Promise<StoreUnderTest>;

type Samples = {
  readonly [Name in CollectionName]: (id: string, fields?: Partial<Rows[Name]>) => Rows[Name];
};

/** Returns a complete row of each collection. `fields` overrides what a test is about. */
export const sampleRows = Object.fromEntries(
  collectionNames.map((name) => [
    name,
    (id: string, fields?: object) => ({ ...collections[name].sample, id, ...fields }),
  ]),
  // Each sample is a row of its collection.
) as unknown as Samples;

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
