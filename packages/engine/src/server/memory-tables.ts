import type { JobWhere } from "../jobs/table-scheduler.js";
import { MemoryExpiringCollection } from "../store/memory-collection.js";
import { MemoryStore, type StoreState } from "../store/memory-store.js";
import type { Hit, RateWindow, RateWindows } from "../store/rate-window.js";
import type { TableStates } from "../store/records.js";
import type { Row } from "../store/rows.js";
import type { Lookup } from "../store/store.js";
import { type JobRow, type ServerTables, serverTables } from "../context/server-rows.js";

type AnyCollection = MemoryExpiringCollection<Row, Lookup>;

interface MemoryTablesParts {
  readonly windows: RateWindows;
  /** Called when a job was scheduled, canceled, or done. */
  readonly jobsChanged: () => void;
}

/** The tables of a server in memory: the collections of the API, and those of the server itself. */
export class MemoryTables implements ServerTables {
  readonly store = new MemoryStore();
  readonly jobs: MemoryExpiringCollection<JobRow, JobWhere>;
  readonly #server: Readonly<Record<keyof typeof serverTables, AnyCollection>>;
  readonly #windows: RateWindows;

  /** @param states rows that the tables share, because they are immutable. */
  constructor(states: TableStates, { windows, jobsChanged }: MemoryTablesParts) {
    this.#windows = windows;
    const { server, jobs, faults } = serverTables;
    this.#server = {
      server: new MemoryExpiringCollection(server.keys, () => undefined),
      jobs: new MemoryExpiringCollection(jobs.keys, jobsChanged),
      faults: new MemoryExpiringCollection(faults.keys, () => undefined),
    };
    // The tables of a server have the rows of every collection.
    this.store.fill(states as unknown as StoreState);
    for (const [name, table] of Object.entries(this.#server)) {
      const state = states[name];
      if (state) table.fill(state);
    }
    this.jobs = this.table("jobs");
  }

  table<T extends Row, W extends Lookup>(name: keyof typeof serverTables): MemoryExpiringCollection<T, W> {
    // The caller knows the rows of its table.
    return this.#server[name] as unknown as MemoryExpiringCollection<T, W>;
  }

  hit(preload: Hit): RateWindow {
    return this.#windows.hit(preload);
  }

  /** The rows of all tables. */
  get states(): TableStates {
    const { server, jobs, faults } = this.#server;
    return { ...this.store.state, server: server.state, jobs: jobs.state, faults: faults.state };
  }
}
