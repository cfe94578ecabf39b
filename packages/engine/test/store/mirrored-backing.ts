import type { Access, Backing, TableChanges, Transaction } from "../../src/store/backing.js";
import { type CollectionName, keys } from "../../src/store/keys.js";
import type { MemoryStore, StoreState } from "../../src/store/memory-store.js";
import type { Row } from "../../src/store/rows.js";
import type { Collection, Lookup } from "../../src/store/store.js";
import type { Found, Loaded, Want } from "../../src/store/want.js";

/** A backing whose rows a test replaces. */
export interface FillableBacking extends Backing {
  fill(state: StoreState): Promise<void>;
}

/**
 * Lets requests and jobs use another store than the one in memory, which the tests read, and which the control surface reads
 * and changes. Changes of either are copied to the other.
 */
export class MirroredBacking implements Backing {
  readonly #memory: MemoryStore;
  readonly #backing: Promise<FillableBacking>;
  /** The rows that the other store has. */
  readonly #copied = new Map<string, Map<string, Row>>();
  #last: Promise<void> = Promise.resolve();

  constructor(memory: MemoryStore, backing: Promise<FillableBacking>) {
    this.#memory = memory;
    this.#backing = backing;
  }

  begin(access: Access): Transaction {
    let begun: Transaction | undefined;
    return {
      load: async (wants) => {
        if (begun === undefined) {
          await this.#copyToBacking();
          begun = (await this.#backing).begin(access);
        }
        return begun.load(wants);
      },
      commit: async (changes) => {
        await begun?.commit(changes);
        for (const each of changes) await this.#copyToMemory(each);
      },
      rollback: async () => begun?.rollback(),
    };
  }

  /** Fills the other store where the memory has rows that it does not have. */
  #copyToBacking(): Promise<void> {
    return this.#inTurn(async () => {
      const { state } = this.#memory;
      const backing = await this.#backing;
      if (Object.entries(state).every(([name, { rows }]) => this.#isCopied(name, rows))) return;
      for (const [name, { rows }] of Object.entries(state)) {
        this.#copied.set(name, new Map(rows.map(([, row]) => [row.id, row])));
      }
      await backing.fill(state);
    });
  }

  #isCopied(name: string, rows: readonly (readonly [number, Row])[]): boolean {
    const copied = this.#copied.get(name);
    return copied?.size === rows.length && rows.every(([, row]) => copied.get(row.id) === row);
  }

  /** Copies the rows as they are now: the results of two commits may arrive in another order than they happened. */
  #copyToMemory({ table, deletes, updates, inserts }: TableChanges): Promise<void> {
    const inserted = inserts.flatMap(({ row }) => row?.id ?? []);
    const ids = [...[...deletes, ...updates].map(({ id }) => id), ...inserted];
    const wants = ids.map((id): Want => ({ read: "row", table, id }));
    return this.#inTurn(async () => {
      const transaction = (await this.#backing).begin({ mode: "read", locks: [] });
      const found = await transaction.load(wants);
      await transaction.rollback();
      ids.forEach((id, index) => this.#copyRow(table, id, found[index]));
    });
  }

  #copyRow(table: string, id: string, found: Found | undefined): void {
    if (!(table in keys)) throw new Error(`There is no collection ${table}`);
    // All collections are treated alike, by their names.
    const collection: Collection<Row, Lookup> = this.#memory[table as CollectionName];
    const copied = this.#copied.get(table) ?? new Map<string, Row>();
    this.#copied.set(table, copied);
    const row = Array.isArray(found) ? (found as readonly Loaded[])[0]?.row : undefined;
    const known = collection.get(id);
    if (row === undefined) collection.delete(id);
    if (row === undefined) copied.delete(id);
    else copied.set(id, known ? collection.update(id, replacing(known, row)) : collection.insert(row));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

/** Returns the changes that make one row another, without the fields that only the first one has. */
const replacing = (known: Row, row: Row): Row => ({
  ...(Object.fromEntries(Object.keys(known).map((field) => [field, undefined])) as object),
  ...row,
});
