import type { JobHandler } from "../jobs/job-handler.js";
import { JobQueue } from "../jobs/job-queue.js";
import { TableScheduler } from "../jobs/table-scheduler.js";
import type { MemoryStore } from "../store/memory-store.js";
import type { RateWindows } from "../store/rate-window.js";
import type { TableStates } from "../store/records.js";
import type { AllRowsLookup } from "../store/store.js";
import { RandomIds } from "../values/random-ids.js";
import { RowJsonCache } from "../context/row-json-cache.js";
import type { RunningJob } from "../context/scheduler.js";
import { type GeneratorRow, type ServerRow, generatorRowId, serverRowId } from "../context/server-rows.js";
import type { RequestContext } from "../context/request-context.js";
import type { OperationContext } from "../context/operation-context.js";
import { ChangeHook } from "./change-hook.js";
import {
  type SharedServices,
  createAddressBuilders,
  createCommonContext,
  createRequestCounter,
} from "./common-context.js";
import { MemoryTables } from "./memory-tables.js";
import { type TransactionView, changeClock } from "./control-backend.js";
import { runJob } from "./run-job.js";
import { type ServerState, deriveServerState } from "./server-state.js";

/** The view of a server in memory that rules and the steps of a request have. */
export interface MemoryView extends OperationContext, RequestContext<"sync"> {
  readonly store: MemoryStore;
  readonly databaseEngine: SharedServices["databaseEngine"];
}

/** Parts that all states of a server share. */
export interface MemoryServices extends SharedServices {
  readonly windows: RateWindows;
  readonly afterMutation: (() => void | Promise<void>) | undefined;
  readonly onDefect: (error: unknown) => void;
}

/** The state of a server in memory. Replacing all rows creates a new state. */
export class MemoryState {
  readonly context: MemoryView;
  readonly queue: JobQueue;
  readonly changeHook: ChangeHook;
  readonly #services: MemoryServices;
  readonly #tables: MemoryTables;
  readonly #ids: RandomIds;
  #serverState: ServerState;

  /** @param states rows that the state shares, because they are immutable. */
  constructor(states: TableStates, services: MemoryServices) {
    const { settings, databaseEngine, windows, onDefect } = services;
    const tables = new MemoryTables(states, { windows, onJobsChanged: () => this.queue.onJobsChanged() });
    const { store, jobs } = tables;
    this.#services = services;
    this.#tables = tables;
    this.#serverState = deriveServerState(requireServerRow(tables), "", services);
    this.#ids = new RandomIds(
      tables.getTable<GeneratorRow, AllRowsLookup>("server").get(generatorRowId)?.ids ?? null,
    );
    this.changeHook = new ChangeHook(services.afterMutation);
    const getServerState = (): ServerState => this.#serverState;
    const clock = {
      now: () => getServerState().clock.now(),
      get frozen() {
        return getServerState().clock.frozen;
      },
      moveTo: (time: number) =>
        this.runTransaction(({ tables: clockTables }) =>
          changeClock(clockTables, (current) => current.moveTo(time)),
        ),
    };
    const addressBuilders = createAddressBuilders(settings);
    this.queue = new JobQueue({
      ...{ jobs, clock },
      runJob: (job, isAwaited) => runJob(job.kind, isAwaited, onDefect, this.#createJobWork(job, isAwaited)),
    });
    let jobCount = 0;
    const createJobId = (): string => String((jobCount += 1));
    const context: MemoryView = {
      ...createCommonContext(services, this.#serverState),
      ...addressBuilders,
      store,
      rowJsonCache: new RowJsonCache(
        { store, databaseEngine, buildUrl: addressBuilders.buildUrl },
        () => store.version,
      ),
      clock,
      ids: this.#ids,
      scheduler: new TableScheduler({ jobs, owner: null, createId: createJobId }),
      cursorCodec: this.#serverState.cursorCodec,
      transact: (_access, callback) => callback(context),
      runJob: (job) => this.queue.runNow(job),
      finishJobs: (subject) => this.queue.finishJobs(subject),
      stateEpoch: this.#serverState.row.epoch,
      listCountPreloads: () => [],
      countRequest: createRequestCounter(getServerState, clock, tables),
      waitUntilSaved: () => this.changeHook.waitUntilSaved(store),
    };
    this.context = context;
    this.queue.setTimer();
  }

  /** The row of the server. */
  get row(): ServerRow {
    return this.#serverState.row;
  }

  /** Runs a callback on the rows of the server itself. */
  runTransaction<T>(callback: (view: TransactionView) => T): T {
    try {
      return callback({ tables: this.#tables, row: this.row, context: this.context });
    } finally {
      const row = requireServerRow(this.#tables);
      if (row !== this.row) this.#serverState = deriveServerState(row, "", this.#services, this.#serverState);
    }
  }

  /** Returns the rows of all tables. */
  readTableStates(): TableStates {
    const generators = this.#tables.getTable<GeneratorRow, AllRowsLookup>("server");
    generators.update(generatorRowId, { ids: this.#ids.state });
    return this.#tables.tableStates;
  }

  /** Returns the work of a job, which stores its change first and the rows at the end. */
  #createJobWork(job: RunningJob, isAwaited: boolean): (handler: JobHandler) => Promise<void> {
    return async (handler) => {
      // The change is stored before the work starts, so that it is completed after a crash. If storing fails, the
      // response reports it.
      if (job.change !== undefined) await this.context.waitUntilSaved()?.catch(() => undefined);
      await handler(this.context, job.subject, job);
      if (!isAwaited) await this.context.waitUntilSaved();
    };
  }
}

const requireServerRow = (tables: MemoryTables): ServerRow => {
  const row = tables.getTable<ServerRow, AllRowsLookup>("server").get(serverRowId);
  if (row === undefined) throw new Error("The tables have no state of a server");
  return row;
};
