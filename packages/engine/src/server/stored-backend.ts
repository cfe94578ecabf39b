import { DefaultRows } from "../control/default-rows.js";
import { read } from "../control/change.js";
import type { TenantRows } from "../control/tenant.js";
import { JobRunner } from "../jobs/job-runner.js";
import type { JobWhere } from "../jobs/table-scheduler.js";
import { type Access, readOnly, withoutLocks } from "../store/storage-adapter.js";
import type { Records, TableStates } from "../store/records.js";
import type { Everything } from "../store/store.js";
import { Pauses } from "../values/pauses.js";
import type { Settings } from "../values/settings.js";
import { StateChangedError } from "../values/state-changed-error.js";
import { DatabaseWork } from "../context/database-work.js";
import { type InitialRow, type JobRow, initialId } from "../context/server-rows.js";
import type { RequestContext } from "../context/request-context.js";
import type { Transactions } from "../context/transactions.js";
import type { RuleContext } from "../context/rule-context.js";
import { type ContextParts, commonContext, contextPartsOf } from "./common-context.js";
import type { EngineOptions } from "./engine-options.js";
import { matchDatabases, whenAvailable } from "./replaced-data.js";
import { type TransactionView, clockAccess, moveForward } from "./control-rows.js";
import { runJob } from "./run-job.js";
import type { Backend } from "./server.js";
import { snapshotOfTables } from "./snapshot-tables.js";
import { StoredState, countPreloads } from "./stored-state.js";

/** `deterministic`, `startAt`, `frozen`, `snapshot` and `initial` apply only to records that no server has used. */
export interface StoredServerOptions extends Omit<EngineOptions, "afterMutation"> {
  /** The rows. Several servers may use them at the same time. */
  readonly records: Records;
}

/** Keeps the state of a server in records that survive it, and that other servers may share. */
export class StoredBackend implements Backend<"async"> {
  readonly settings: Settings;
  readonly #records: Records;
  readonly #state: StoredState;
  readonly #runner: JobRunner;
  readonly #parts: ContextParts;
  readonly #pauses = new Pauses();

  constructor(options: StoredServerOptions) {
    const { records, onDefect = console.error } = options;
    const databaseWork = new DatabaseWork((names, work) =>
      records.sessions.exclusively(
        names.map((name) => `database ${name}`),
        work,
      ),
    );
    const parts = contextPartsOf(options, databaseWork);
    const state: StoredState = new StoredState({
      ...parts,
      ...{ records, onDefect },
      onScheduled: (scheduled) => this.#runner.adopt(scheduled),
    });
    this.settings = parts.settings;
    this.#records = records;
    this.#state = state;
    this.#parts = parts;
    this.#runner = new JobRunner({
      sessions: records.sessions,
      onDefect,
      now: () => state.state.clock.now(),
      transact: (purpose, step, ids = []) =>
        state.run(
          { mode: purpose === "read" ? "read" : "write", locks: purpose === "take" ? ["jobs"] : [] },
          ({ tables }) => step(tables.table<JobRow, JobWhere>("jobs"), tables),
          { preloads: () => ids.map((id) => ({ read: "row", table: "jobs", id })) },
        ),
      perform: (job, isAwaited) =>
        runJob(job.kind, isAwaited, onDefect, async (handler) =>
          handler(this.context(), job.subject, job.change),
        ),
      workspacesOf: (scheduled) =>
        this.context().transact(
          readOnly,
          (context) => scheduled.map(({ subject }) => workspaceOf(context, subject)),
          () =>
            scheduled.flatMap(({ subject: id }) => [
              { read: "row", table: "databases", id },
              { read: "row", table: "backups", id },
            ]),
        ),
    });
  }

  get hasFaults(): boolean {
    return this.#state.state.row.hasFaults;
  }

  run<T>(access: Access, step: (view: TransactionView) => T): Promise<T> {
    return this.#state.run(access, step);
  }

  planJobs(): void {
    this.#runner.look();
  }

  async advanceTo(time: number): Promise<void> {
    await this.#runner.advance(time, (dueAt, tables) => moveForward(tables, dueAt));
    await this.run(clockAccess, ({ tables }) => moveForward(tables, time));
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
    return this.#worldWith(async (access, step, preloads) => {
      try {
        const ran = await this.#state.run(access, ({ context }) => step(context), {
          preloads,
          ...(isFirst && { expected: state }),
        });
        isFirst = false;
        return ran;
      } catch (error) {
        isFirst &&= error instanceof StateChangedError;
        throw error;
      }
    });
  }

  /** Returns the context for jobs and the control surface, whose transactions run in any state of the server. */
  context(): RequestContext<"async"> {
    return this.#worldWith((access, step, preloads) =>
      this.#state.run(access, ({ context }) => step(context), { preloads }),
    );
  }

  tenantRows(workspaceId: string): Promise<TenantRows> {
    return read(this.context(), ({ store }) => {
      const { workspace, user, serviceToken } = new DefaultRows(() => store, workspaceId);
      return { workspace, user, serviceToken };
    });
  }

  async readAll<T>(look: (states: TableStates) => T): Promise<T> {
    return look(await this.#records.readAll());
  }

  /** Stores the current state as the one that `reset` restores. */
  async keepAsInitial(): Promise<void> {
    const snapshot = await this.readAll(snapshotOfTables);
    await this.run(withoutLocks, ({ tables }) => {
      tables.table<InitialRow, Everything>("server").update(initialId, { snapshot });
    });
  }

  async replaceAll(next: (states: TableStates) => TableStates, replaced?: () => void): Promise<void> {
    const replacement = await this.#records.replaceAll(next);
    await whenAvailable(() => this.#state.refresh(), this.#pauses);
    await Promise.all([matchDatabases(replacement, this.context(), this.#pauses), this.#runner.idle()]);
    this.#runner.look();
    replaced?.();
  }

  /** Resolves at once, because every change is stored when its transaction ends. */
  save(): Promise<void> {
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return this.#runner.idle();
  }

  start(): void {
    this.#runner.open();
  }

  async stop(): Promise<void> {
    this.#pauses.end();
    this.#runner.close();
    await this.#runner.idle();
  }

  /** Runs the jobs of a row now, even before `start`. */
  finishJobs(subject: string): Promise<void> {
    return this.#runner.finish(subject);
  }

  #worldWith(transact: Transactions<"async">["transact"]): RequestContext<"async"> {
    const { state } = this.#state;
    return {
      ...commonContext(this.#parts, state),
      clock: state.clock,
      transact,
      runJob: (job) => this.#runner.runNow(job),
      finishJobs: (subject) => this.#runner.finish(subject),
      epoch: state.row.epoch,
      countPreloads: (operation, principal) => countPreloads(state, operation, principal),
      // The rows are stored when their transaction ends.
      saved: () => undefined,
    };
  }
}

/** Returns the id of the workspace that has a database or backup; empty for any other row. */
const workspaceOf = ({ store }: RuleContext, subject: string): string => {
  const databaseId = store.backups.get(subject)?.databaseId ?? subject;
  return store.databases.get(databaseId)?.workspaceId ?? "";
};
