import { Defaults } from "../control/defaults.js";
import { runReadStep } from "../control/change.js";
import type { TenantDefaults } from "../control/tenant.js";
import { JobRunner } from "../jobs/job-runner.js";
import type { JobLookup } from "../jobs/table-scheduler.js";
import { type TransactionOptions, readOnlyTransaction, writeWithoutLocks } from "../store/storage-adapter.js";
import type { RecordStore, TableStates } from "../store/records.js";
import type { AllRowsLookup } from "../store/store.js";
import { Pauses } from "../values/pauses.js";
import type { Settings } from "../values/settings.js";
import { StateChangedError } from "../values/state-changed-error.js";
import { DatabaseWork } from "../context/database-work.js";
import { type InitialStateRow, type JobRow, initialRowId } from "../context/server-rows.js";
import type { RequestContext } from "../context/request-context.js";
import type { Transactions } from "../context/transactions.js";
import type { RuleContext } from "../context/rule-context.js";
import { type SharedServices, createCommonContext, createSharedServices } from "./common-context.js";
import type { EngineOptions } from "./engine-options.js";
import { matchDatabases, retryUntilAvailable } from "./replaced-data.js";
import { type TransactionView, clockTransactionOptions, moveClockForward } from "./control-rows.js";
import { runJob } from "./run-job.js";
import type { ServerBackend } from "./server.js";
import { buildSnapshot } from "./snapshot-tables.js";
import { StoredState, preloadRateLimitCount } from "./stored-state.js";

/** `deterministic`, `startAt`, `frozen`, `snapshot` and `initial` apply only to records that no server has used. */
export interface StoredServerOptions extends Omit<EngineOptions, "afterMutation"> {
  /** The rows. Several servers may use them at the same time. */
  readonly records: RecordStore;
}

/** Keeps the state of a server in records that survive it, and that other servers may share. */
export class StoredBackend implements ServerBackend<"async"> {
  readonly settings: Settings;
  readonly #records: RecordStore;
  readonly #state: StoredState;
  readonly #runner: JobRunner;
  readonly #services: SharedServices;
  readonly #pauses = new Pauses();

  constructor(options: StoredServerOptions) {
    const { records, onDefect = console.error } = options;
    const databaseWork = new DatabaseWork((names, work) =>
      records.sessions.exclusively(
        names.map((name) => `database ${name}`),
        work,
      ),
    );
    const parts = createSharedServices(options, databaseWork);
    const state: StoredState = new StoredState({
      ...parts,
      ...{ records, onDefect },
      onScheduled: (scheduledJobs) => this.#runner.addScheduledJobs(scheduledJobs),
    });
    this.settings = parts.settings;
    this.#records = records;
    this.#state = state;
    this.#services = parts;
    this.#runner = new JobRunner({
      sessions: records.sessions,
      onDefect,
      now: () => state.state.clock.now(),
      transact: (purpose, step, ids = []) =>
        state.run(
          { mode: purpose === "read" ? "read" : "write", locks: purpose === "take" ? ["jobs"] : [] },
          ({ tables }) => step(tables.table<JobRow, JobLookup>("jobs"), tables),
          { preloads: () => ids.map((id) => ({ read: "row", table: "jobs", id })) },
        ),
      runJob: (job, isAwaited) =>
        runJob(job.kind, isAwaited, onDefect, async (handler) =>
          handler(this.context(), job.subject, job.change),
        ),
      workspacesOf: (scheduledJobs) =>
        this.context().transact(
          readOnlyTransaction,
          (context) => scheduledJobs.map(({ subject }) => findWorkspaceId(context, subject)),
          () =>
            scheduledJobs.flatMap(({ subject: id }) => [
              { read: "row", table: "databases", id },
              { read: "row", table: "backups", id },
            ]),
        ),
    });
  }

  get hasFaults(): boolean {
    return this.#state.state.row.hasFaults;
  }

  run<T>(transactionOptions: TransactionOptions, step: (view: TransactionView) => T): Promise<T> {
    return this.#state.run(transactionOptions, step);
  }

  planJobs(): void {
    this.#runner.lookForDueJobs();
  }

  async advanceTo(time: number): Promise<void> {
    await this.#runner.advance(time, (dueAt, tables) => moveClockForward(tables, dueAt));
    await this.run(clockTransactionOptions, ({ tables }) => moveClockForward(tables, time));
    this.planJobs();
  }

  /** Loads the state of the server. */
  async refresh(): Promise<void> {
    await this.#state.refresh();
  }

  /**
   * Returns the context for one request. Its first transaction throws a `StateChangedError` if the keys, the clock, the rate limit
   * or the faults have changed since; the later ones run in the changed state, because the request may have changed rows.
   */
  requestContext(): RequestContext<"async"> {
    const { state } = this.#state;
    let isFirst = true;
    return this.#createContext(async (transactionOptions, step, preloads) => {
      try {
        const stepResult = await this.#state.run(transactionOptions, ({ context }) => step(context), {
          preloads,
          ...(isFirst && { expected: state }),
        });
        isFirst = false;
        return stepResult;
      } catch (error) {
        isFirst &&= error instanceof StateChangedError;
        throw error;
      }
    });
  }

  /** Returns the context for jobs and the control surface, whose transactions run in any state of the server. */
  context(): RequestContext<"async"> {
    return this.#createContext((transactionOptions, step, preloads) =>
      this.#state.run(transactionOptions, ({ context }) => step(context), { preloads }),
    );
  }

  tenantDefaults(workspaceId: string): Promise<TenantDefaults> {
    return runReadStep(this.context(), (context) => {
      const { workspace, user, serviceToken } = new Defaults(() => context, workspaceId);
      return { workspace, user, serviceToken };
    });
  }

  async readAll<T>(readTables: (states: TableStates) => T): Promise<T> {
    return readTables(await this.#records.readAllTables());
  }

  /** Stores the current state as the one that `reset` restores. */
  async keepAsInitial(): Promise<void> {
    const snapshot = await this.readAll(buildSnapshot);
    await this.run(writeWithoutLocks, ({ tables }) => {
      tables.table<InitialStateRow, AllRowsLookup>("server").update(initialRowId, { snapshot });
    });
  }

  async replaceAll(
    createTables: (states: TableStates) => TableStates,
    onReplaced?: () => void,
  ): Promise<void> {
    const replacement = await this.#records.replaceAll(createTables);
    await retryUntilAvailable(() => this.#state.refresh(), this.#pauses);
    await Promise.all([matchDatabases(replacement, this.context(), this.#pauses), this.#runner.whenIdle()]);
    this.#runner.lookForDueJobs();
    onReplaced?.();
  }

  /** Resolves at once, because every change is stored when its transaction ends. */
  save(): Promise<void> {
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return this.#runner.whenIdle();
  }

  start(): void {
    this.#runner.open();
  }

  async stop(): Promise<void> {
    this.#pauses.end();
    this.#runner.close();
    await this.#runner.whenIdle();
  }

  /** Runs the jobs of a row now, even before `start`. */
  finishJobs(subject: string): Promise<void> {
    return this.#runner.finish(subject);
  }

  #createContext(transact: Transactions<"async">["transact"]): RequestContext<"async"> {
    const { state } = this.#state;
    return {
      ...createCommonContext(this.#services, state),
      clock: state.clock,
      transact,
      runJob: (job) => this.#runner.runNow(job),
      finishJobs: (subject) => this.#runner.finish(subject),
      epoch: state.row.epoch,
      countPreloads: (operation, principal) => preloadRateLimitCount(state, operation, principal),
      // The rows are stored when their transaction ends.
      saved: () => undefined,
    };
  }
}

/** Returns the id of the workspace that has a database or backup; empty for any other row. */
const findWorkspaceId = ({ store }: RuleContext, subject: string): string => {
  const databaseId = store.backups.get(subject)?.databaseId ?? subject;
  return store.databases.get(databaseId)?.workspaceId ?? "";
};
