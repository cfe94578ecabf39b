import type { JobHandler } from "../jobs/job-handler.js";
import { JobQueue } from "../jobs/job-queue.js";
import { TableScheduler } from "../jobs/table-scheduler.js";
import type { MemoryStore } from "../store/memory-store.js";
import type { RateWindows } from "../store/rate-window.js";
import type { TableStates } from "../store/records.js";
import type { Everything } from "../store/store.js";
import { RandomIds } from "../values/random-ids.js";
import { RowTexts } from "../context/row-texts.js";
import type { Job } from "../context/scheduler.js";
import { type GeneratorRow, type ServerRow, generatorId, serverId } from "../context/server-rows.js";
import type { RequestContext } from "../context/request-context.js";
import type { RuleContext } from "../context/rule-context.js";
import { ChangeHook } from "./change-hook.js";
import { type ContextParts, addressesOf, commonContext, requestCounter } from "./common-context.js";
import { MemoryTables } from "./memory-tables.js";
import { type TransactionView, changeClock } from "./control-rows.js";
import { runJob } from "./run-job.js";
import { type ServerState, serverStateOf } from "./server-state.js";

/** The view of a server in memory that rules and the steps of a request have. */
export interface MemoryView extends RuleContext, RequestContext<"sync"> {
  readonly store: MemoryStore;
  readonly databaseEngine: ContextParts["databaseEngine"];
}

/** Parts that all states of a server share. */
export interface MemoryParts extends ContextParts {
  readonly windows: RateWindows;
  readonly afterMutation: (() => void | Promise<void>) | undefined;
  readonly onDefect: (error: unknown) => void;
}

/** The state of a server in memory. Replacing all rows creates a new state. */
export class MemoryState {
  readonly context: MemoryView;
  readonly queue: JobQueue;
  readonly changes: ChangeHook;
  readonly #parts: MemoryParts;
  readonly #tables: MemoryTables;
  readonly #ids: RandomIds;
  #server: ServerState;

  /** @param states rows that the state shares, because they are immutable. */
  constructor(states: TableStates, parts: MemoryParts) {
    const { settings, databaseEngine, windows, onDefect } = parts;
    const tables = new MemoryTables(states, { windows, jobsChanged: () => this.queue.jobsChanged() });
    const { store, jobs } = tables;
    this.#parts = parts;
    this.#tables = tables;
    this.#server = serverStateOf(rowOf(tables), "", parts);
    this.#ids = new RandomIds(tables.table<GeneratorRow, Everything>("server").get(generatorId)?.ids ?? null);
    this.changes = new ChangeHook(parts.afterMutation);
    const server = (): ServerState => this.#server;
    const clock = {
      now: () => server().clock.now(),
      get frozen() {
        return server().clock.frozen;
      },
      moveTo: (time: number) =>
        this.run(({ tables: moved }) => changeClock(moved, (current) => current.moveTo(time))),
    };
    const addresses = addressesOf(settings);
    this.queue = new JobQueue({
      ...{ jobs, clock },
      perform: (job, isAwaited) => runJob(job.kind, isAwaited, onDefect, this.#workOn(job, isAwaited)),
    });
    let scheduled = 0;
    const newId = (): string => String((scheduled += 1));
    const context: MemoryView = {
      ...commonContext(parts, this.#server),
      ...addresses,
      store,
      texts: new RowTexts({ store, databaseEngine, url: addresses.url }, () => store.version),
      clock,
      ids: this.#ids,
      scheduler: new TableScheduler({ jobs, owner: null, newId }),
      cursors: this.#server.cursors,
      transact: (_access, step) => step(context),
      runJob: (job) => this.queue.runNow(job),
      finishJobs: (subject) => this.queue.finish(subject),
      epoch: this.#server.row.epoch,
      countPreloads: () => [],
      countRequest: requestCounter(server, clock, tables),
      saved: () => this.changes.saved(store),
    };
    this.context = context;
    this.queue.arm();
  }

  /** The row of the server. */
  get row(): ServerRow {
    return this.#server.row;
  }

  /** Runs a step on the rows of the server itself. */
  run<T>(step: (view: TransactionView) => T): T {
    try {
      return step({ tables: this.#tables, row: this.row, context: this.context });
    } finally {
      const row = rowOf(this.#tables);
      if (row !== this.row) this.#server = serverStateOf(row, "", this.#parts, this.#server);
    }
  }

  /** Returns the rows of all tables. */
  states(): TableStates {
    const generators = this.#tables.table<GeneratorRow, Everything>("server");
    generators.update(generatorId, { ids: this.#ids.state });
    return this.#tables.states;
  }

  /** Returns the work of a job, which stores its change first and the rows at the end. */
  #workOn(job: Job, isAwaited: boolean): (handler: JobHandler) => Promise<void> {
    return async (handler) => {
      // The change is stored before the work starts, so that it is completed after a crash. If storing fails, the
      // response reports it.
      if (job.change !== undefined) await this.context.saved()?.catch(() => undefined);
      await handler(this.context, job.subject, job.change);
      if (!isAwaited) await this.context.saved();
    };
  }
}

const rowOf = (tables: MemoryTables): ServerRow => {
  const row = tables.table<ServerRow, Everything>("server").get(serverId);
  if (row === undefined) throw new Error("The tables have no state of a server");
  return row;
};
