import type { JobLookup } from "../jobs/table-scheduler.js";
import { MemoryExpiringCollection } from "../store/memory-collection.js";
import { MemoryStore, type StoreState } from "../store/memory-store.js";
import type { CountPreload, RateWindow, RateWindows } from "../store/rate-window.js";
import type { TableStates } from "../store/records.js";
import type { Row } from "../store/rows.js";
import type { Lookup } from "../store/store.js";
import { type JobRow, type ServerTables, serverTables } from "../context/server-rows.js";

type AnyCollection = MemoryExpiringCollection<Row, Lookup>;

interface MemoryTablesOptions {
  readonly windows: RateWindows;
  /** Called when a job was scheduled, canceled, or done. */
  readonly onJobsChanged: () => void;
}

/** The tables of a server in memory: the collections of the API, and the collections of the server itself. */
export class MemoryTables implements ServerTables {
  readonly store = new MemoryStore();
  readonly jobs: MemoryExpiringCollection<JobRow, JobLookup>;
  readonly #serverTables: Readonly<Record<keyof typeof serverTables, AnyCollection>>;
  readonly #windows: RateWindows;

  /** @param states rows that the tables share, because they are immutable. */
  constructor(states: TableStates, { windows, onJobsChanged }: MemoryTablesOptions) {
    this.#windows = windows;
    const { server, jobs, faults } = serverTables;
    this.#serverTables = {
      server: new MemoryExpiringCollection(server.keys, () => undefined),
      jobs: new MemoryExpiringCollection(jobs.keys, onJobsChanged),
      faults: new MemoryExpiringCollection(faults.keys, () => undefined),
    };
    // The tables of a server have the rows of every collection.
    this.store.restore(states as unknown as StoreState);
    for (const [name, table] of Object.entries(this.#serverTables)) {
      const state = states[name];
      if (state) table.restore(state);
    }
    this.jobs = this.getTable("jobs");
  }

  getTable<T extends Row, Where extends Lookup>(
    name: keyof typeof serverTables,
  ): MemoryExpiringCollection<T, Where> {
    // The caller knows the rows of its table.
    return this.#serverTables[name] as unknown as MemoryExpiringCollection<T, Where>;
  }

  countInRateWindow(preload: CountPreload): RateWindow {
    return this.#windows.countRequest(preload);
  }

  /** The rows of all tables. */
  get tableStates(): TableStates {
    const { server, jobs, faults } = this.#serverTables;
    return { ...this.store.state, server: server.state, jobs: jobs.state, faults: faults.state };
  }
}
