import { Defaults } from "../control/defaults.js";
import { runReadTransaction } from "../control/run-transaction.js";
import type { TenantDefaults } from "../control/tenant.js";
import { type StoredJob, serializeJob } from "../jobs/stored-job.js";
import { JobRunner } from "../jobs/job-runner.js";
import type { JobLookup } from "../jobs/table-scheduler.js";
import { type TransactionOptions, readOnlyTransaction, writeWithoutLocks } from "../store/storage-adapter.js";
import type { RecordStore, TableStates } from "../store/records.js";
import type { AllRowsLookup } from "../store/store.js";
import type { SignIn } from "../oauth/sign-in.js";
import { Pauses } from "../values/pauses.js";
import type { Settings } from "../values/settings.js";
import { StateChangedError } from "../values/state-changed-error.js";
import { DatabaseWork } from "../context/database-work.js";
import { type InitialStateRow, type JobRow, initialRowId } from "../context/server-rows.js";
import type { RequestContext } from "../context/request-context.js";
import type { Transactions } from "../context/transactions.js";
import type { OperationContext } from "../context/operation-context.js";
import { type SharedServices, createCommonContext, createSharedServices } from "./common-context.js";
import type { EngineOptions } from "./engine-options.js";
import { reconcileDatabases, retryUntilAvailable } from "./reconcile-databases.js";
import { type TransactionView, clockTransactionOptions, moveClockForward } from "./control-backend.js";
import { runJob } from "./run-job.js";
import type { ServerBackend } from "./server.js";
import { buildSnapshot } from "./snapshot-tables.js";
import { StoredState, createCountPreloads } from "./stored-state.js";

/** `deterministic`, `startAt`, `frozen`, `snapshot` and `initial` apply only to records that no server has used. */
export interface StoredServerOptions extends Omit<EngineOptions, "afterMutation"> {
  /** The rows. Several servers may use them at the same time. */
  readonly records: RecordStore;
  /** Returns milliseconds since 1970. Default: the clock of this machine. */
  readonly readSystemTime?: (() => number) | undefined;
  /** How users sign in. Default: on pages for development, with `signInKey`. */
  readonly signIn?: SignIn | undefined;
  /** Whether new records contain the users, workspaces and clients for development. Default: true. */
  readonly insertsDefaultRows?: boolean | undefined;
}

/**
 * Keeps the state of a server in records that survive it, and that other servers may share. Call `refresh` before anything else;
 * jobs run from `start` to `stop`.
 */
export class StoredBackend implements ServerBackend<"async"> {
  readonly settings: Settings;
  readonly #records: RecordStore;
  readonly #storedState: StoredState;
  readonly #runner: JobRunner;
  readonly #services: SharedServices;
  readonly #pauses = new Pauses();

  constructor(options: StoredServerOptions) {
    const { records, onDefect = console.error } = options;
    const databaseWork = new DatabaseWork((names, callback) =>
      records.sessions.runExclusively(
        names.map((name) => `database ${name}`),
        callback,
      ),
    );
    const services = createSharedServices(options, databaseWork);
    const storedState: StoredState = new StoredState({
      ...services,
      ...{ records, onDefect, readSystemTime: options.readSystemTime },
      onScheduled: (scheduledJobs) => this.#runner.addScheduledJobs(scheduledJobs),
      onCompleted: (ids) => this.#runner.addCompletedJobs(ids),
    });
    this.settings = services.settings;
    this.#records = records;
    this.#storedState = storedState;
    this.#services = services;
    this.#runner = new JobRunner({
      sessions: records.sessions,
      onDefect,
      now: () => storedState.current.clock.now(),
      transact: (purpose, callback, preloads = []) =>
        storedState.runTransaction(
          { mode: purpose === "read" ? "read" : "write", locks: purpose === "claim" ? ["jobs"] : [] },
          ({ tables }) => callback(tables.getTable<JobRow, JobLookup>("jobs"), tables),
          { listPreloads: () => preloads },
        ),
      runJob: (job, isAwaited) =>
        runJob(job.kind, isAwaited, onDefect, async (handler) =>
          handler(this.getContextForControl(), job.subject, job),
        ),
      findWorkspaces: (scheduledJobs) =>
        this.getContextForControl().transact(
          readOnlyTransaction,
          (context) => scheduledJobs.map(({ subject }) => getWorkspaceId(context, subject)),
          () =>
            scheduledJobs.flatMap(({ subject: id }) => [
              { read: "row", table: "databases", id },
              { read: "row", table: "backups", id },
            ]),
        ),
    });
  }

  get hasFaults(): boolean {
    return this.#storedState.current.row.hasFaults;
  }

  runTransaction<T>(
    transactionOptions: TransactionOptions,
    callback: (view: TransactionView) => T,
  ): Promise<T> {
    return this.#storedState.runTransaction(transactionOptions, callback);
  }

  pollDueJobs(): void {
    this.#runner.pollDueJobs();
  }

  async advanceTo(time: number): Promise<void> {
    await this.#runner.advanceTo(time, (dueAt, tables) => moveClockForward(tables, dueAt));
    await this.runTransaction(clockTransactionOptions, ({ tables }) => moveClockForward(tables, time));
    this.pollDueJobs();
  }

  /** Loads the state of the server. */
  async refresh(): Promise<void> {
    await this.#storedState.refresh();
  }

  /**
   * Returns the context for one request. Its first transaction throws a `StateChangedError` if the keys, the clock, the rate limit
   * or the faults have changed since; the later ones run in the changed state, because the request may have changed rows.
   */
  getContextForRequest(): RequestContext<"async"> {
    const state = this.#storedState.current;
    let isFirst = true;
    return this.#createContext(async (transactionOptions, callback, preloads, loadedRows) => {
      try {
        const result = await this.#storedState.runTransaction(
          transactionOptions,
          ({ context }) => callback(context),
          {
            ...{ listPreloads: preloads, loadedRows },
            ...(isFirst && { expectedState: state }),
          },
        );
        isFirst = false;
        return result;
      } catch (error) {
        isFirst &&= error instanceof StateChangedError;
        throw error;
      }
    });
  }

  /** Returns the context for jobs and the control surface, whose transactions run in any state of the server. */
  getContextForControl(): RequestContext<"async"> {
    return this.#createContext((transactionOptions, callback, listPreloads, loadedRows) =>
      this.#storedState.runTransaction(transactionOptions, ({ context }) => callback(context), {
        ...{ listPreloads, loadedRows },
      }),
    );
  }

  readTenantDefaults(workspaceId: string): Promise<TenantDefaults> {
    return runReadTransaction(this.getContextForControl(), (context) => {
      const { workspace, user, serviceToken } = new Defaults(() => context, workspaceId);
      return { workspace, user, serviceToken };
    });
  }

  async readAllTables<T>(readTables: (states: TableStates) => T): Promise<T> {
    return readTables(await this.#records.readAllTables());
  }

  /** Stores the current state, which `reset` restores. */
  async saveStateAsInitial(): Promise<void> {
    const snapshot = await this.readAllTables(buildSnapshot);
    await this.runTransaction(writeWithoutLocks, ({ tables }) => {
      tables.getTable<InitialStateRow, AllRowsLookup>("server").update(initialRowId, { snapshot });
    });
  }

  async replaceAllTables(
    createTables: (states: TableStates) => TableStates,
    onReplaced?: () => void,
  ): Promise<void> {
    const replacement = await this.#records.replaceAll(createTables);
    await retryUntilAvailable(() => this.#storedState.refresh(), this.#pauses);
    await Promise.all([
      reconcileDatabases(replacement, this.getContextForControl(), this.#pauses),
      this.#runner.waitUntilIdle(),
    ]);
    this.#runner.pollDueJobs();
    onReplaced?.();
  }

  /** Resolves immediately, because every change is stored when its transaction ends. */
  save(): Promise<void> {
    return Promise.resolve();
  }

  waitUntilIdle(): Promise<void> {
    return this.#runner.waitUntilIdle();
  }

  start(): void {
    this.#runner.start();
  }

  async stop(): Promise<void> {
    this.#pauses.stop();
    this.#runner.stop();
    await this.#runner.waitUntilIdle();
  }

  /** Runs the jobs of a row now, even before `start`. */
  finishJobs(subject: string): Promise<void> {
    return this.#runner.finishJobs(subject);
  }

  /** Returns the jobs that wait, run, or are dead, in the order in which they were scheduled. */
  async listJobs(): Promise<StoredJob[]> {
    const rows = await this.#runner.listJobs();
    const owners = new Set(rows.flatMap(({ owner }) => owner ?? []));
    const liveOwners =
      owners.size === 0 ? new Set<string>() : await this.#records.sessions.selectLive([...owners]);
    return rows.map((row) => serializeJob(row, liveOwners));
  }

  /** Runs failed jobs again: the jobs with these ids, or all dead jobs. Returns the ids of the jobs that run again. */
  retryJobs(ids?: readonly string[]): Promise<string[]> {
    return this.#runner.retryJobs(ids);
  }

  #createContext(transact: Transactions<"async">["transact"]): RequestContext<"async"> {
    const state = this.#storedState.current;
    return {
      ...createCommonContext(this.#services, state),
      clock: state.clock,
      transact,
      runJob: (job) => this.#runner.runNow(job),
      finishJobs: (subject) => this.#runner.finishJobs(subject),
      stateEpoch: state.row.epoch,
      listCountPreloads: (operation, principal) => createCountPreloads(state, operation, principal),
      // The rows are stored when their transaction ends.
      waitUntilSaved: () => undefined,
    };
  }
}

/** Returns the id of the workspace that has a database or backup; empty for any other row. */
const getWorkspaceId = ({ store }: OperationContext, subject: string): string => {
  const databaseId = store.backups.get(subject)?.databaseId ?? subject;
  return store.databases.get(databaseId)?.workspaceId ?? "";
};
