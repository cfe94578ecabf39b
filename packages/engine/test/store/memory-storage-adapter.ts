import { type CollectionName, collections } from "../../src/store/collections.js";
import { MemoryStore } from "../../src/store/memory-store.js";
import { createFieldReader } from "../../src/store/row-fields.js";
import type { Row } from "../../src/store/rows.js";
import type { Collection, ExpiringCollection, Lookup } from "../../src/store/store.js";
import {
  type TransactionOptions,
  type StorageAdapter,
  ConflictError,
  type TableChanges,
  type Transaction,
} from "../../src/store/storage-adapter.js";
import { sampleRows } from "./store-under-test.js";
import { KeyedMutex } from "@mgmt/internal/values/keyed-mutex";
import type { LoadResult, LoadedRow, Preload } from "../../src/store/preload.js";

type AnyCollection = Collection<Row, Lookup> & Partial<Pick<ExpiringCollection<Row, Lookup>, "listExpired">>;

/** A storage adapter whose rows are in a `MemoryStore`. It records what transactions do. */
export class MemoryStorageAdapter implements StorageAdapter {
  readonly store: MemoryStore;
  /** Trips of all transactions so far: their names and, for loads, what was wanted. */
  readonly trips: (readonly [name: string, ...preloads: Preload[]])[] = [];
  /** Called before a commit, to change rows as another process would. */
  beforeCommit: (() => void) | undefined;
  readonly #locks = new Locks();
  readonly #versions = new WeakMap<Row, number>();
  #nextVersion = 1;

  constructor(store = new MemoryStore()) {
    this.store = store;
  }

  begin({ mode, locks }: TransactionOptions): Transaction {
    this.trips.push([["begin", mode, ...(mode === "write" ? locks : [])].join(" ")]);
    const held = mode === "write" ? this.#locks.hold(locks) : undefined;
    const end = (trip: string): void => {
      this.trips.push([trip]);
      held?.release();
    };
    return {
      load: async (preloads) => {
        await held?.taken;
        this.trips.push(["load", ...preloads]);
        return preloads.map((preload) => this.#find(preload));
      },
      commit: (changes) => {
        const { beforeCommit } = this;
        this.beforeCommit = undefined;
        return Promise.resolve(held?.taken).then(() => {
          beforeCommit?.();
          for (const change of changes) this.#rejectConflicts(change);
          for (const change of changes) this.#apply(change);
          end(changes.length === 0 ? "commit" : "commit changes");
        });
      },
      rollback: () => Promise.resolve(end("rollback")),
    };
  }

  #collection(name: string): AnyCollection {
    if (!(name in collections)) throw new Error(`There is no collection ${name}`);
    // All collections are treated alike, by their names.
    return this.store[name as CollectionName];
  }

  #versionOf(row: Row): string {
    const known = this.#versions.get(row) ?? this.#nextVersion++;
    this.#versions.set(row, known);
    return String(known);
  }

  #find(preload: Preload): LoadResult {
    const collection = this.#collection(preload.table);
    const load = (row: Row): LoadedRow => ({
      row,
      sequence: collection.getSequence(row.id),
      version: this.#versionOf(row),
    });
    switch (preload.read) {
      case "row": {
        const row = collection.get(preload.id);
        return row ? [load(row)] : [];
      }
      case "range": {
        const { where, containing = {}, after, limit, newestFirst } = preload;
        const request = {
          where,
          containing,
          after: after ?? undefined,
          limit: limit ?? Infinity,
          newestFirst,
        };
        return collection.listPage(request).map(load);
      }
      case "referenced": {
        const { table, id, field } = preload.by;
        const [from] = [this.#collection(table).get(id)].map((row) => row && createFieldReader(field)(row));
        const row = typeof from === "string" ? collection.get(from) : undefined;
        return row ? [load(row)] : [];
      }
      case "count":
        return collection.count(preload.where);
      case "expired":
        return (collection.listExpired?.(preload.time) ?? []).slice(0, preload.limit ?? undefined).map(load);
      case "hit":
        throw new Error("The collections have no windows of a rate limit");
      case "sequence": {
        const { next } = this.store.state[preload.table as CollectionName];
        return next + preload.index;
      }
    }
  }

  #rejectConflicts({ table, deletes, updates, inserts }: TableChanges): void {
    const collection = this.#collection(table);
    for (const { id, version } of [...deletes, ...updates]) {
      const row = collection.get(id);
      if (!row || this.#versionOf(row) !== version) throw new ConflictError(`The row ${id} has changed`);
    }
    if (
      inserts.some(({ row }) => row && collection.get(row.id) && !deletes.some(({ id }) => id === row.id))
    ) {
      throw new ConflictError("A row with the same id exists");
    }
  }

  #apply({ table, deletes, updates, inserts }: TableChanges): void {
    const collection = this.#collection(table);
    for (const { id } of deletes) collection.delete(id);
    for (const { id, row } of updates) collection.update(id, row);
    for (const [index, { row }] of inserts.entries()) {
      const id = row?.id ?? `deleted again ${String(index)}`;
      collection.insert(row ?? sampleRows[table as CollectionName](id));
      if (row === null) collection.delete(id);
    }
  }
}

/** Locks that transactions hold until they end. */
class Locks {
  readonly #mutex = new KeyedMutex();

  hold(names: readonly string[]): { readonly taken: Promise<void>; release: () => void } {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const taken = new Promise<void>((resolve) => {
      void this.#mutex.run(names, () => {
        resolve();
        return released;
      });
    });
    return { taken, release };
  }
}
