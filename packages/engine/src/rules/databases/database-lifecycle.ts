import type { RuleContext } from "../../context/rule-context.js";
import {
  type DatabaseCredential,
  DatabaseUnavailableError,
  LockLostError,
} from "../../context/database-engine.js";
import type { Transactions } from "../../context/transactions.js";
import type { JobHandler, JobHandlers, JobContext } from "../../jobs/job-handler.js";
import type { WorkLock } from "../../store/records.js";
import type { DatabaseRow, DatabaseSource, DatabaseStatus } from "../../store/rows.js";
import { readOnly } from "../../store/storage-adapter.js";
import type { Preload } from "../../store/preload.js";
import { endCopy, isBeingDeleted, pendingCopies } from "./copies.js";

const provisionJob = "database.provision";
const recoverJob = "database.recover";

/** Time after which work is repeated that could not reach the database server, in milliseconds. */
export const unavailableDelay = 500;

/** Schedules the creation of a database: from `provisioning` to `ready` or `failure`. */
export const beginProvisioning = (context: RuleContext, databaseId: string): void => {
  context.scheduler.schedule(
    context.clock,
    provisionJob,
    databaseId,
    context.settings.lifecycle.provisioning,
  );
};

/** Schedules the restore of a database: from `recovering` to `ready` or `failure`. */
export const beginRecovering = (context: RuleContext, databaseId: string): void => {
  context.scheduler.cancel(context.clock, databaseId, recoverJob);
  context.scheduler.schedule(context.clock, recoverJob, databaseId, context.settings.lifecycle.recovering);
};

/** Cancels the jobs of a database that have not started. */
export const cancelLifecycle = ({ scheduler, clock }: RuleContext, databaseId: string): void => {
  for (const kind of [provisionJob, recoverJob]) scheduler.cancel(clock, databaseId, kind);
};

/** Schedules again the creation or restore that was canceled for a deletion, after the deletion failed. */
export const resumeLifecycle = ({ store, scheduler, clock }: RuleContext, databaseId: string): void => {
  const status = store.databases.get(databaseId)?.status;
  if (status === "provisioning") scheduler.schedule(clock, provisionJob, databaseId, 0);
  if (status === "recovering") scheduler.schedule(clock, recoverJob, databaseId, 0);
};

/**
 * Runs a step of a job of a database, in a transaction that keeps other changes of its workspace from running at the same time.
 * The database may be gone.
 *
 * @param known the database as it was read before, which may have changed since. Default: read again.
 */
export const changeDatabase = async <T>(
  context: Transactions,
  databaseId: string,
  step: (context: RuleContext, row: DatabaseRow | undefined) => T,
  known?: DatabaseRow,
): Promise<T> => {
  for (let row = known ?? (await readDatabase(context, databaseId)); ;) {
    const workspaceId = row?.workspaceId;
    const result = await context.transact(
      { mode: "write", locks: workspaceId === undefined ? [] : [workspaceId] },
      (current): { moved: DatabaseRow } | { value: T } => {
        const database = current.store.databases.get(databaseId);
        const isLocked = database === undefined || database.workspaceId === workspaceId;
        return isLocked ? { value: step(current, database) } : { moved: database };
      },
      () => [{ read: "row", table: "databases", id: databaseId }],
    );
    if ("value" in result) return result.value;
    row = result.moved;
  }
};

const readDatabase = async (context: Transactions, databaseId: string): Promise<DatabaseRow | undefined> =>
  context.transact(
    readOnly,
    ({ store }) => store.databases.get(databaseId),
    () => [{ read: "row", table: "databases", id: databaseId }],
  );

/**
 * Returns the databases that no other work may use while one is filled from this source, so that the source does not
 * change.
 */
const sourceIds = (source: DatabaseSource): string[] => (source.type === "empty" ? [] : [source.databaseId]);

/** Work that fills a database. */
interface Filling {
  /** The status until the work has ended. */
  readonly underWay: DatabaseStatus;
  readonly job: string;
  readonly fill: () => Promise<void>;
}

/**
 * Fills a database, and sets its status from `underWay` to `ready` or `failure`. Does not change the status if the control
 * surface has set another one in the meantime, or if a deletion has canceled the work: when that fails, it schedules the work
 * again. Schedules the job again if the database server cannot be reached. Rethrows other errors of the work.
 */
const fillDatabase = async (
  context: JobContext,
  row: DatabaseRow,
  lock: WorkLock,
  { underWay, job, fill }: Filling,
): Promise<void> => {
  const { id } = row;
  const finish = (status: DatabaseStatus, changes: { made?: boolean }): Promise<void> =>
    changeDatabase(
      context,
      id,
      (currentContext, current) => {
        if (current === undefined) return;
        currentContext.store.databases.update(id, {
          ...changes,
          status: current.status === underWay ? status : current.status,
        });
        endCopy(currentContext, current);
      },
      row,
    );
  try {
    await fill();
  } catch (error) {
    // Without the locks, another process may be filling the database.
    await lock.confirm();
    // A deletion has canceled the work, which still holds its locks.
    if (lock.signal.aborted) return;
    if (error instanceof DatabaseUnavailableError) {
      await changeDatabase(context, id, ({ scheduler, clock }, current) => {
        if (current) scheduler.schedule(clock, job, id, unavailableDelay);
      });
      return;
    }
    await finish("failure", {});
    throw error;
  }
  await lock.confirm();
  await finish("ready", { made: true });
};

/** A database, and the logins of its connections. */
interface FoundDatabase {
  readonly row: DatabaseRow;
  readonly credentials: readonly DatabaseCredential[];
}

/** Returns the preload for the connections of a database. */
export const connectionsPreload = (databaseId: string): Preload => ({
  read: "range",
  table: "connections",
  where: { databaseId },
  after: null,
  limit: null,
  newestFirst: false,
});

/** Reads a database and the logins of its connections. Returns undefined when it does not exist. */
export const findDatabase = async (
  context: Pick<Transactions, "transact">,
  databaseId: string,
): Promise<FoundDatabase | undefined> =>
  context.transact(
    readOnly,
    ({ store }) => {
      const row = store.databases.get(databaseId);
      const connections = store.connections.list({ databaseId });
      return (
        row && {
          row,
          credentials: connections.map(({ id, user, pass }) => ({ connectionId: id, user, pass })),
        }
      );
    },
    () => [{ read: "row", table: "databases", id: databaseId }, connectionsPreload(databaseId)],
  );

/** Creates a database with a role for each of its connections. */
const make = async (
  { databaseEngine }: JobContext,
  { row, credentials }: FoundDatabase,
  signal: AbortSignal,
): Promise<void> => {
  signal.throwIfAborted();
  await databaseEngine.create(row.id, row.source, credentials, signal);
};

const isToBeFilled = (row: DatabaseRow | undefined): row is DatabaseRow =>
  row !== undefined && !isBeingDeleted(row);

/**
 * Returns a handler that fills a database when no other work uses it or its source. It does nothing while the database is
 * being deleted, and a deletion cancels it.
 */
const filling =
  (work: (context: JobContext, database: FoundDatabase, lock: WorkLock) => Promise<void>): JobHandler =>
  async (context, databaseId) => {
    const { databaseWork } = context;
    const isWanted = async (): Promise<boolean> => isToBeFilled(await readDatabase(context, databaseId));
    // Reading the source first would take another round trip, and most databases have none.
    let used = [databaseId];
    for (let isDone = false; !isDone;) {
      await databaseWork.withLock(used, (held) =>
        databaseWork.filling(databaseId, { held, isWanted }, async (lock) => {
          const database = await findDatabase(context, databaseId);
          const wanted = database !== undefined && isToBeFilled(database.row) ? database : undefined;
          const needed = wanted ? sourceIds(wanted.row.source) : [];
          isDone = needed.every((id) => used.includes(id));
          used = [databaseId, ...needed];
          if (wanted && isDone) await work(context, wanted, lock);
        }),
      );
    }
  };

const provision: JobHandler = filling(async (context, database, lock) => {
  const { row } = database;
  if (row.made) return;
  const fill = (): Promise<void> => make(context, database, lock.signal);
  await fillDatabase(context, row, lock, { underWay: "provisioning", job: provisionJob, fill });
});

/** Restores a database. One that was never created is created from the backup, with a role for each of its connections. */
const recover: JobHandler = filling(async (context, database, lock) => {
  const { row } = database;
  if (row.status !== "recovering" || row.source.type !== "backup") return;
  const { backupId } = row.source;
  const { signal } = lock;
  const restore = async (): Promise<void> => {
    signal.throwIfAborted();
    await context.databaseEngine.restore(row.id, backupId, signal);
  };
  const fill = row.made ? restore : (): Promise<void> => make(context, database, signal);
  await fillDatabase(context, row, lock, { underWay: "recovering", job: recoverJob, fill });
});

export const databaseJobs: JobHandlers = { [provisionJob]: provision, [recoverJob]: recover };

/**
 * Fills the databases that were requested as copies of this one before its deletion. Does not wait for their jobs, which may
 * start after the deletion and then find nothing to do.
 *
 * @throws DatabaseUnavailableError when some are still to be filled.
 */
export const fillCopies = async (context: JobContext, databaseId: string): Promise<void> => {
  const pending = await pendingCopies(context, databaseId);
  for (const { id, status } of pending) {
    try {
      await (status === "recovering" ? recover : provision)(context, id, undefined);
    } catch (error) {
      if (error instanceof DatabaseUnavailableError || error instanceof LockLostError) throw error;
      // The copy is in `failure` now. Its job runs too, and reports the error.
    }
  }
  if (pending.length > 0 && (await pendingCopies(context, databaseId)).length > 0) {
    throw new DatabaseUnavailableError(`Copies of the database ${databaseId} cannot be made now`);
  }
};
