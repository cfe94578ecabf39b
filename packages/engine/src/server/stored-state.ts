import { OAuthError } from "../oauth/oauth-error.js";
import type { DatabaseCredential } from "../context/database-engine.js";
import type { IdGenerator } from "../values/ids.js";
import type { OperationId } from "../generated/operations.js";
import { createCountPreload } from "../request/rate-limit.js";
import type { Principal } from "../values/principal.js";
import { RandomIds } from "../values/random-ids.js";
import { RequestError } from "../values/request-error.js";
import { StateChangedError } from "../values/state-changed-error.js";
import type { OperationContext } from "../context/operation-context.js";
import { createAddressBuilders, createRequestCounter } from "./common-context.js";
import type { TransactionView } from "./control-backend.js";
import { type TransactionOptions, readOnlyTransaction } from "../store/storage-adapter.js";
import type { Lookup } from "../store/store.js";
import type { PartialTables } from "../store/partial-tables.js";
import type { RecordStore } from "../store/records.js";
import { runInTransaction } from "../store/replay.js";
import type { BackupRow, DatabaseRow } from "../store/rows.js";
import {
  type GeneratorRow,
  type JobRow,
  type ScheduledJob,
  type ServerRow,
  generatorRowId,
  serverRowId,
} from "../context/server-rows.js";
import type { LoadedRows, Preload } from "../store/preload.js";
import { type JobLookup, TableScheduler } from "../jobs/table-scheduler.js";
import { type ServerState, type StateDependencies, deriveServerState } from "./server-state.js";
import { RecordedValues } from "./recorded-values.js";

export interface StoredStateServices extends StateDependencies {
  readonly records: RecordStore;
  readonly databaseEngine: OperationContext["databaseEngine"];
  /** Receives the jobs that a transaction of this process has scheduled for now or later, after its commit. */
  readonly onScheduled: (jobs: readonly ScheduledJob[]) => void;
  /** Receives the ids of the jobs that a transaction of this process has completed, after its commit. */
  readonly onCompleted: (ids: readonly string[]) => void;
}

/** Which state of the server a transaction expects, and which rows it probably reads. */
export interface StoredTransactionOptions {
  /** The state that the caller depends on. The callback does not run when the state has another version. Default: any. */
  readonly expectedState?: ServerState;
  readonly listPreloads?: (() => readonly Preload[]) | undefined;
  /** Stores the rows that a read transaction loads, for a later write transaction. */
  readonly loadedRows?: LoadedRows | undefined;
}

/** Logins that the database engine learns of when their rows are stored. */
interface AnnouncedLogins {
  readonly databaseId: string;
  readonly credentials: readonly DatabaseCredential[];
}

/** The rows that every transaction reads. */
const serverPreloads: readonly Preload[] = [serverRowId, generatorRowId].map((id) => ({
  read: "row",
  table: "server",
  id,
}));

/** Limits how often a callback runs again because the state of the server has changed. */
const maxStateChanges = 1_000;

/** The rows that the servers of one store share, as one of these servers sees them. */
export class StoredState {
  readonly #services: StoredStateServices;
  readonly #random = new RandomIds(null);
  #serverState: ServerState | undefined;

  constructor(services: StoredStateServices) {
    this.#services = services;
  }

  /** The state that the latest transaction of this process has seen. */
  get current(): ServerState {
    if (this.#serverState === undefined) throw new Error("The state of the server has not been loaded");
    return this.#serverState;
  }

  /** Loads the state. */
  async refresh(): Promise<ServerState> {
    const transaction = this.#services.records.begin(readOnlyTransaction);
    try {
      const [result] = await transaction.load(serverPreloads.slice(0, 1));
      const loadedRow = typeof result === "object" ? result[0] : undefined;
      if (loadedRow === undefined) throw new Error("The records have no state of a server");
      // The table has this row at this id.
      this.#serverState = deriveServerState(
        loadedRow.row as ServerRow,
        loadedRow.version,
        this.#services,
        this.#serverState,
      );
      return this.#serverState;
    } finally {
      await transaction.rollback();
    }
  }

  /**
   * Runs a callback in a transaction. Loads the state again if the callback has changed it.
   *
   * @throws StateChangedError when the state is not the expected one. Errors of the callback are thrown unchanged.
   */
  async runTransaction<T>(
    transactionOptions: TransactionOptions,
    callback: (view: TransactionView) => T,
    { expectedState, listPreloads, loadedRows }: StoredTransactionOptions = {},
  ): Promise<T> {
    const { records, databaseEngine, onScheduled, onCompleted } = this.#services;
    const owner = transactionOptions.mode === "write" ? await records.sessions.getCurrentId() : null;
    for (let stateChangeCount = 0; ; stateChangeCount += 1) {
      const state = expectedState ?? this.current;
      const recordedValues = new RecordedValues(this.#random, state.clock);
      let announcedLogins: AnnouncedLogins[] = [];
      let isRowChanged = false;
      let getScheduledJobs = (): ScheduledJob[] => [];
      let completedIds: string[] = [];
      const notifyOthers = (): void => {
        for (const { databaseId, credentials } of announcedLogins)
          databaseEngine.announce?.(databaseId, credentials);
        const jobs = getScheduledJobs();
        if (jobs.length > 0) onScheduled(jobs);
        if (completedIds.length > 0) onCompleted(completedIds);
      };
      try {
        const value = await runInTransaction(
          records,
          ({ tables }) => {
            recordedValues.rewind();
            const server = tables.getTable<ServerRow, Record<string, never>>("server");
            const row = server.get(serverRowId);
            if (row === undefined || server.getVersion(serverRowId) !== state.version)
              throw new StateChangedError();
            const jobs = tables.getTable<JobRow, JobLookup>("jobs");
            const insertedJobs: JobRow[] = [];
            completedIds = [];
            const scheduler = new TableScheduler({
              ...{ jobs, owner, createId: () => recordedValues.ids.generateLabel(24) },
              onSchedule: (job) => insertedJobs.push(job),
              onComplete: (id) => completedIds.push(id),
            });
            // Without those that were canceled.
            getScheduledJobs = () =>
              insertedJobs.flatMap((job) =>
                jobs.get(job.id) ? [{ ...job, workspaceId: findLoadedWorkspace(tables, job.subject) }] : [],
              );
            announcedLogins = [];
            const value = this.#runOnTables(
              { tables, row, scheduler, recordedValues, state, announcedLogins },
              callback,
            );
            isRowChanged = server.get(serverRowId) !== row;
            return value;
          },
          {
            transactionOptions,
            isRejection: isRejectionError,
            loadedRows,
            preloads: [...serverPreloads, ...(listPreloads?.() ?? [])],
          },
        );
        notifyOthers();
        if (isRowChanged) await this.refresh();
        return value;
      } catch (error) {
        if (isRejectionError(error)) notifyOthers();
        if (!(error instanceof StateChangedError)) throw error;
        await this.refresh();
        if (expectedState !== undefined || stateChangeCount >= maxStateChanges) throw error;
      }
    }
  }

  #runOnTables<T>(
    {
      tables,
      row,
      scheduler,
      recordedValues,
      state,
      announcedLogins,
    }: {
      tables: PartialTables;
      row: ServerRow;
      scheduler: TableScheduler;
      recordedValues: RecordedValues;
      state: ServerState;
      announcedLogins: AnnouncedLogins[];
    },
    callback: (view: TransactionView) => T,
  ): T {
    const { settings, databaseEngine } = this.#services;
    const generators = tables.getTable<GeneratorRow, Record<string, never>>("server");
    const seededState = generators.get(generatorRowId)?.ids ?? null;
    const generator = seededState === null ? undefined : new RandomIds(seededState);
    const idSource: IdGenerator = generator ?? recordedValues.ids;
    const ids: IdGenerator = {
      generateId: (resourceType) => {
        const id = idSource.generateId(resourceType);
        tables.addNewId(id);
        return id;
      },
      generateLabel: (length) => idSource.generateLabel(length),
      generateSecret: (length) => idSource.generateSecret(length),
      generateName: () => idSource.generateName(),
    };
    const { clock } = recordedValues;
    const context: OperationContext = {
      store: tables.store,
      clock,
      ids,
      settings,
      databaseEngine: {
        getEndpoints: (databaseId) => databaseEngine.getEndpoints(databaseId),
        announce: (databaseId, credentials) => void announcedLogins.push({ databaseId, credentials }),
      },
      scheduler,
      cursorCodec: state.cursorCodec,
      countRequest: createRequestCounter(() => state, clock, tables),
      ...createAddressBuilders(settings),
    };
    try {
      return callback({ context, tables, row });
    } finally {
      const nextGeneratorState = generator?.state ?? null;
      if (nextGeneratorState !== null && nextGeneratorState.join() !== seededState?.join())
        generators.update(generatorRowId, { ids: nextGeneratorState });
    }
  }
}

/** Returns the workspace of a database or backup if a callback has read it. */
const findLoadedWorkspace = (tables: PartialTables, subject: string): string | undefined => {
  const databases = tables.getTable<DatabaseRow, Lookup>("databases");
  const backup = tables.getTable<BackupRow, Lookup>("backups").getRowIfLoaded(subject);
  return databases.getRowIfLoaded(backup?.databaseId ?? subject)?.workspaceId;
};

const isRejectionError = (error: unknown): boolean =>
  error instanceof RequestError || error instanceof OAuthError;

/**
 * Returns the rows that a request loads to be counted for the rate limit.
 *
 * @param state the state that its transaction expects. With a newer state, the request would be counted, and then run again.
 */
export const createCountPreloads = (
  { rateLimit, clock, row }: ServerState,
  operation: OperationId,
  principal: Principal,
): Preload[] =>
  rateLimit?.limitedOperations.has(operation)
    ? [createCountPreload(rateLimit, row.rateEpoch, principal, clock.now())]
    : [];
