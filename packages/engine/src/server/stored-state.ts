import { OAuthError } from "../oauth/oauth-error.js";
import type { DatabaseCredential } from "../context/database-engine.js";
import type { Ids } from "../values/ids.js";
import type { OperationId } from "../generated/operations.js";
import { hitOf } from "../request/limit.js";
import type { Principal } from "../values/principal.js";
import { RandomIds } from "../values/random-ids.js";
import { RequestError } from "../values/request-error.js";
import { StateChangedError } from "../values/state-changed-error.js";
import type { RuleContext } from "../context/rule-context.js";
import { addressesOf, requestCounter } from "./common-context.js";
import type { TransactionView } from "./control-rows.js";
import { type Access, readOnly } from "../store/storage-adapter.js";
import type { Lookup } from "../store/store.js";
import type { PartialTables } from "../store/partial-tables.js";
import type { Records } from "../store/records.js";
import { replay } from "../store/replay.js";
import type { BackupRow, DatabaseRow } from "../store/rows.js";
import {
  type GeneratorRow,
  type JobRow,
  type ScheduledJob,
  type ServerRow,
  generatorId,
  serverId,
} from "../context/server-rows.js";
import type { Preload } from "../store/preload.js";
import { type JobWhere, TableScheduler } from "../jobs/table-scheduler.js";
import { type ServerState, type StateParts, serverStateOf } from "./server-state.js";
import { RecordedDraws } from "./recorded-draws.js";

export interface StoredStateParts extends StateParts {
  readonly records: Records;
  readonly databaseEngine: RuleContext["databaseEngine"];
  /** Receives the jobs that a transaction of this process has scheduled for now or later, after its commit. */
  readonly onScheduled: (jobs: readonly ScheduledJob[]) => void;
}

export interface RunOptions {
  /** The state that the caller depends on. The step does not run when the state has another version. Default: any. */
  readonly expected?: ServerState;
  readonly preloads?: (() => readonly Preload[]) | undefined;
}

/** Logins that the database engine learns of when their rows are stored. */
interface Announced {
  readonly databaseId: string;
  readonly credentials: readonly DatabaseCredential[];
}

/** The rows that every transaction reads. */
const serverPreloads: readonly Preload[] = [serverId, generatorId].map((id) => ({
  read: "row",
  table: "server",
  id,
}));

/** Limits how often a step runs again because the state of the server has changed. */
const maxChanges = 1_000;

/** The rows that the servers of one store share, as one of these servers sees them. */
export class StoredState {
  readonly #parts: StoredStateParts;
  readonly #random = new RandomIds(null);
  #state: ServerState | undefined;

  constructor(parts: StoredStateParts) {
    this.#parts = parts;
  }

  /** The state that the latest transaction of this process has seen. */
  get state(): ServerState {
    if (this.#state === undefined) throw new Error("The state of the server has not been loaded");
    return this.#state;
  }

  /** Loads the state. */
  async refresh(): Promise<ServerState> {
    const transaction = this.#parts.records.begin(readOnly);
    try {
      const [result] = await transaction.load(serverPreloads.slice(0, 1));
      const loaded = typeof result === "object" ? result[0] : undefined;
      if (loaded === undefined) throw new Error("The records have no state of a server");
      // The table has this row at this id.
      this.#state = serverStateOf(loaded.row as ServerRow, loaded.version, this.#parts, this.#state);
      return this.#state;
    } finally {
      await transaction.rollback();
    }
  }

  /**
   * Runs a step in a transaction. Loads the state again if the step has changed it.
   *
   * @throws StateChangedError when the state is not the expected one. Errors of the step are thrown unchanged.
   */
  async run<T>(
    access: Access,
    step: (view: TransactionView) => T,
    { expected, preloads }: RunOptions = {},
  ): Promise<T> {
    const { records, databaseEngine, onScheduled } = this.#parts;
    const owner = access.mode === "write" ? await records.sessions.current() : null;
    for (let changes = 0; ; changes += 1) {
      const state = expected ?? this.state;
      const draws = new RecordedDraws(this.#random, state.clock);
      let announced: Announced[] = [];
      let isRowChanged = false;
      let scheduled = (): ScheduledJob[] => [];
      const adopt = (): void => {
        for (const { databaseId, credentials } of announced)
          databaseEngine.announce?.(databaseId, credentials);
        const jobs = scheduled();
        if (jobs.length > 0) onScheduled(jobs);
      };
      try {
        const value = await replay(
          records,
          ({ tables }) => {
            draws.rewind();
            const server = tables.table<ServerRow, Record<string, never>>("server");
            const row = server.get(serverId);
            if (row === undefined || server.version(serverId) !== state.version)
              throw new StateChangedError();
            const jobs = tables.table<JobRow, JobWhere>("jobs");
            const inserted: JobRow[] = [];
            const scheduler = new TableScheduler({
              ...{ jobs, owner, newId: () => draws.ids.label(24) },
              onSchedule: (job) => inserted.push(job),
            });
            // Without those that were canceled.
            scheduled = () =>
              inserted.flatMap((job) =>
                jobs.get(job.id) ? [{ ...job, workspaceId: knownWorkspace(tables, job.subject) }] : [],
              );
            announced = [];
            const value = this.#step({ tables, row, scheduler, draws, state, announced }, step);
            isRowChanged = server.get(serverId) !== row;
            return value;
          },
          { access, isRefusal, preloads: [...serverPreloads, ...(preloads?.() ?? [])] },
        );
        adopt();
        if (isRowChanged) await this.refresh();
        return value;
      } catch (error) {
        if (isRefusal(error)) adopt();
        if (!(error instanceof StateChangedError)) throw error;
        await this.refresh();
        if (expected !== undefined || changes >= maxChanges) throw error;
      }
    }
  }

  #step<T>(
    {
      tables,
      row,
      scheduler,
      draws,
      state,
      announced,
    }: {
      tables: PartialTables;
      row: ServerRow;
      scheduler: TableScheduler;
      draws: RecordedDraws;
      state: ServerState;
      announced: Announced[];
    },
    step: (view: TransactionView) => T,
  ): T {
    const { settings, databaseEngine } = this.#parts;
    const generators = tables.table<GeneratorRow, Record<string, never>>("server");
    const seeded = generators.get(generatorId)?.ids ?? null;
    const generator = seeded === null ? undefined : new RandomIds(seeded);
    const drawn: Ids = generator ?? draws.ids;
    const ids: Ids = {
      id: (kind) => {
        const id = drawn.id(kind);
        tables.addFresh(id);
        return id;
      },
      label: (length) => drawn.label(length),
      secret: (length) => drawn.secret(length),
      name: () => drawn.name(),
    };
    const { clock } = draws;
    const context: RuleContext = {
      store: tables.store,
      clock,
      ids,
      settings,
      databaseEngine: {
        endpoints: (databaseId) => databaseEngine.endpoints(databaseId),
        announce: (databaseId, credentials) => void announced.push({ databaseId, credentials }),
      },
      scheduler,
      cursors: state.cursors,
      countRequest: requestCounter(() => state, clock, tables),
      ...addressesOf(settings),
    };
    try {
      return step({ context, tables, row });
    } finally {
      const next = generator?.state ?? null;
      if (next !== null && next.join() !== seeded?.join()) generators.update(generatorId, { ids: next });
    }
  }
}

/** Returns the workspace of a database or backup if a step has read it. */
const knownWorkspace = (tables: PartialTables, subject: string): string | undefined => {
  const databases = tables.table<DatabaseRow, Lookup>("databases");
  const backup = tables.table<BackupRow, Lookup>("backups").known(subject);
  return databases.known(backup?.databaseId ?? subject)?.workspaceId;
};

const isRefusal = (error: unknown): boolean => error instanceof RequestError || error instanceof OAuthError;

/**
 * Returns the rows that a request loads to be counted for the rate limit.
 *
 * @param state the one that its transaction expects: with a newer one, it would be counted, and then run again.
 */
export const countPreloads = (
  { rateLimit, clock, row }: ServerState,
  operation: OperationId,
  principal: Principal,
): Preload[] =>
  rateLimit?.limited.has(operation) ? [hitOf(rateLimit, row.rateEpoch, principal, clock.now())] : [];
