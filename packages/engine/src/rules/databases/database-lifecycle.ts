import type { OperationContext } from "../../context/operation-context.js";
import type { RunningJob } from "../../context/scheduler.js";
import {
  type DatabaseCredential,
  DatabaseUnavailableError,
  LockLostError,
} from "../../context/database-engine.js";
import type { Transactions } from "../../context/transactions.js";
import { type JobHandlers, type JobContext, StoredFailureError } from "../../jobs/job-handler.js";
import type { WorkLock } from "../../store/records.js";
import type { DatabaseRow, DatabaseSource, DatabaseStatus } from "../../store/rows.js";
import { readOnlyTransaction } from "../../store/storage-adapter.js";
import { LoadedRows, type Preload } from "../../store/preload.js";
import { clearPendingCopy, hasPendingDeletion, findPendingCopies } from "./pending-copies.js";

const provisionJobKind = "database.provision";
const recoverJobKind = "database.recover";

/** Schedules the creation of a database: from `provisioning` to `ready` or `failure`. */
export const scheduleProvisioning = (context: OperationContext, databaseId: string): void => {
  context.scheduler.schedule(context.clock, {
    kind: provisionJobKind,
    subject: databaseId,
    delayMs: context.settings.lifecycle.provisioning,
  });
};

/** Schedules the restore of a database: from `recovering` to `ready` or `failure`. */
export const scheduleRecovery = (context: OperationContext, databaseId: string): void => {
  context.scheduler.cancel(context.clock, { kind: recoverJobKind, subject: databaseId });
  context.scheduler.schedule(context.clock, {
    kind: recoverJobKind,
    subject: databaseId,
    delayMs: context.settings.lifecycle.recovering,
  });
};

/** Cancels the jobs of a database that have not started. */
export const cancelLifecycleJobs = ({ scheduler, clock }: OperationContext, databaseId: string): void => {
  for (const kind of [provisionJobKind, recoverJobKind])
    scheduler.cancel(clock, { kind, subject: databaseId });
};

/** Schedules again the creation or restore that was canceled for a deletion, after the deletion failed. */
export const resumeLifecycleJobs = (
  { store, scheduler, clock }: OperationContext,
  databaseId: string,
): void => {
  const status = store.databases.get(databaseId)?.status;
  if (status === "provisioning")
    scheduler.schedule(clock, { kind: provisionJobKind, subject: databaseId, delayMs: 0 });
  if (status === "recovering")
    scheduler.schedule(clock, { kind: recoverJobKind, subject: databaseId, delayMs: 0 });
};

/**
 * Runs a callback of a job of a database, in a transaction that keeps other changes of its workspace from running at the same time.
 * The database may be gone.
 *
 * @param options.lastReadRow the database as it was read before, which may have changed since. Default: read again.
 * @param options.job the one that the transaction completes, and that no other process may have. Default: any process may run the callback.
 * @param options.loadedRows the rows that were loaded before. Only for a job that is completed and a callback that changes the row of the database.
 */
export const changeDatabase = async <T>(
  context: Transactions,
  databaseId: string,
  callback: (context: OperationContext, row: DatabaseRow | undefined) => T,
  {
    lastReadRow,
    job,
    loadedRows,
  }: {
    readonly lastReadRow?: DatabaseRow;
    readonly job?: RunningJob | undefined;
    readonly loadedRows?: LoadedRows | undefined;
  } = {},
): Promise<T> => {
  for (let row = lastReadRow ?? (await readDatabase(context, databaseId)); ;) {
    const workspaceId = row?.workspaceId;
    const attempt = await context.transact(
      { mode: "write", locks: workspaceId === undefined ? [] : [workspaceId] },
      (changeContext): { movedRow: DatabaseRow } | { value: T } => {
        const database = changeContext.store.databases.get(databaseId);
        const isLocked = database === undefined || database.workspaceId === workspaceId;
        if (!isLocked) return { movedRow: database };
        if (job !== undefined) changeContext.scheduler.complete(job);
        return { value: callback(changeContext, database) };
      },
      () => [
        { read: "row", table: "databases", id: databaseId },
        ...(job === undefined ? [] : [createJobPreload(job)]),
      ],
      loadedRows,
    );
    if ("value" in attempt) return attempt.value;
    row = attempt.movedRow;
  }
};

/** Returns the preload for the row of a job that runs. */
export const createJobPreload = ({ id }: RunningJob): Preload => ({ read: "row", table: "jobs", id });

const readDatabase = async (context: Transactions, databaseId: string): Promise<DatabaseRow | undefined> =>
  context.transact(
    readOnlyTransaction,
    ({ store }) => store.databases.get(databaseId),
    () => [{ read: "row", table: "databases", id: databaseId }],
  );

/**
 * Returns the databases that no other work may use while one is filled from this source, so that the source does not
 * change.
 */
const listSourceDatabaseIds = (source: DatabaseSource): string[] =>
  source.type === "empty" ? [] : [source.databaseId];

/** Work that fills a database. */
interface FillWork {
  /** The status until the work is done. */
  readonly statusDuringWork: DatabaseStatus;
  /** It is undefined when another job waits for the work. */
  readonly job: RunningJob | undefined;
  readonly loadedRows: LoadedRows;
  readonly fill: () => Promise<void>;
}

/**
 * Fills a database, and sets its status from `statusDuringWork` to `ready` or `failure`. Does not change the status if the control
 * surface has set another one in the meantime, or if a deletion has canceled the work: when that fails, it schedules the work
 * again. Schedules the job again if the database server cannot be reached.
 *
 * @throws LockLostError when another process has the job; StoredFailureError of other errors of the work.
 */
const fillDatabase = async (
  context: JobContext,
  row: DatabaseRow,
  lock: WorkLock,
  { statusDuringWork, job, loadedRows, fill }: FillWork,
): Promise<void> => {
  const { id } = row;
  const lastRead = { lastReadRow: row, job, loadedRows };
  const recordResult = (status: DatabaseStatus, changes: { made?: boolean }): Promise<void> =>
    changeDatabase(
      context,
      id,
      (changeContext, currentRow) => {
        if (currentRow === undefined) return;
        changeContext.store.databases.update(id, {
          ...changes,
          status: currentRow.status === statusDuringWork ? status : currentRow.status,
        });
        clearPendingCopy(changeContext, currentRow);
      },
      lastRead,
    );
  try {
    await fill();
  } catch (error) {
    // Without the locks, another process may be filling the database.
    await lock.confirm();
    // A deletion has canceled the work, which still holds its locks.
    if (lock.signal.aborted) return;
    if (error instanceof DatabaseUnavailableError) {
      const random = Math.random();
      await changeDatabase(
        context,
        id,
        ({ scheduler, clock }, currentRow) => {
          if (currentRow && job) scheduler.repeat(clock, job, random);
        },
        { lastReadRow: row, job },
      );
      return;
    }
    await recordResult("failure", {});
    throw new StoredFailureError(error);
  }
  await lock.confirm();
  await recordResult("ready", { made: true });
};

/** A database, and the logins of its connections. */
interface DatabaseWithLogins {
  readonly row: DatabaseRow;
  readonly credentials: readonly DatabaseCredential[];
}

/** Returns the preload for the connections of a database. */
export const createConnectionsPreload = (databaseId: string): Preload => ({
  read: "range",
  table: "connections",
  where: { databaseId },
  after: null,
  limit: null,
  newestFirst: false,
});

/**
 * Reads a database and the logins of its connections. Returns undefined when it does not exist.
 *
 * @param job one whose row is read, too.
 * @param loadedRows receives the rows that were loaded.
 */
export const findDatabaseWithLogins = async (
  context: Pick<Transactions, "transact">,
  databaseId: string,
  job?: RunningJob,
  loadedRows?: LoadedRows,
): Promise<DatabaseWithLogins | undefined> =>
  context.transact(
    readOnlyTransaction,
    ({ store }) => {
      const row = store.databases.get(databaseId);
      const connections = store.connections.list({ databaseId });
      return (
        row && {
          row,
          // Rotating a connection whose password is not known makes its login.
          credentials: connections.flatMap(({ id, user, pass }) =>
            pass === null ? [] : [{ connectionId: id, user, pass }],
          ),
        }
      );
    },
    () => [
      { read: "row", table: "databases", id: databaseId },
      createConnectionsPreload(databaseId),
      ...(job === undefined ? [] : [createJobPreload(job)]),
    ],
    loadedRows,
  );

/** Creates a database with a role for each of its connections. */
const createRealDatabase = async (
  { databaseEngine }: JobContext,
  { row, credentials }: DatabaseWithLogins,
  signal: AbortSignal,
): Promise<void> => {
  signal.throwIfAborted();
  await databaseEngine.create(row.id, row.source, credentials, signal);
};

const shouldBeFilled = (row: DatabaseRow | undefined): row is DatabaseRow =>
  row !== undefined && !hasPendingDeletion(row);

/** @param job undefined when another job waits for the work, which repeats it. */
type FillHandler = (context: JobContext, databaseId: string, job: RunningJob | undefined) => Promise<void>;

/**
 * Returns a handler that fills a database when no other work uses it or its source. It does nothing while the database is
 * being deleted, and a deletion cancels it.
 */
const createFillHandler =
  (
    fill: (
      context: JobContext,
      database: DatabaseWithLogins,
      work: { readonly lock: WorkLock } & Pick<FillWork, "job" | "loadedRows">,
    ) => Promise<void>,
  ): FillHandler =>
  async (context, databaseId, job) => {
    const { databaseWork } = context;
    const isNeeded = async (): Promise<boolean> => shouldBeFilled(await readDatabase(context, databaseId));
    // Reading the source first would take another round trip, and most databases have none.
    let lockedDatabaseIds = [databaseId];
    for (let isDone = false; !isDone;) {
      await databaseWork.withLock(lockedDatabaseIds, (heldLock) =>
        databaseWork.runFill(databaseId, { heldLock, isNeeded }, async (lock) => {
          const loadedRows = new LoadedRows();
          const database = await findDatabaseWithLogins(context, databaseId, job, loadedRows);
          const databaseToFill =
            database !== undefined && shouldBeFilled(database.row) ? database : undefined;
          const neededSourceIds = databaseToFill ? listSourceDatabaseIds(databaseToFill.row.source) : [];
          isDone = neededSourceIds.every((id) => lockedDatabaseIds.includes(id));
          lockedDatabaseIds = [databaseId, ...neededSourceIds];
          if (databaseToFill && isDone) await fill(context, databaseToFill, { lock, job, loadedRows });
        }),
      );
    }
  };

const provisionDatabase = createFillHandler(async (context, database, { lock, job, loadedRows }) => {
  const { row } = database;
  if (row.made) return;
  const fill = (): Promise<void> => createRealDatabase(context, database, lock.signal);
  await fillDatabase(context, row, lock, {
    // A stored server repeats work that has failed.
    statusDuringWork: row.status === "failure" ? "failure" : "provisioning",
    ...{ job, loadedRows, fill },
  });
});

/** Restores a database. One that was never created is created from the backup, with a role for each of its connections. */
const recoverDatabase = createFillHandler(async (context, database, { lock, job, loadedRows }) => {
  const { row } = database;
  if (row.status !== "recovering" || row.source.type !== "backup") return;
  const { backupId } = row.source;
  const { signal } = lock;
  const restore = async (): Promise<void> => {
    signal.throwIfAborted();
    await context.databaseEngine.restore(row.id, backupId, signal);
  };
  const fill = row.made ? restore : (): Promise<void> => createRealDatabase(context, database, signal);
  await fillDatabase(context, row, lock, { statusDuringWork: "recovering", job, loadedRows, fill });
});

/** The handlers of the jobs that create and restore databases. */
export const databaseJobs: JobHandlers = {
  [provisionJobKind]: provisionDatabase,
  [recoverJobKind]: recoverDatabase,
};

/**
 * Fills the databases that were requested as copies of this one before its deletion. Does not wait for their jobs, which may
 * start after the deletion and then find nothing to do.
 *
 * @throws DatabaseUnavailableError when some are still to be filled.
 */
export const fillCopies = async (context: JobContext, databaseId: string): Promise<void> => {
  const pendingCopies = await findPendingCopies(context, databaseId);
  for (const { id, status } of pendingCopies) {
    try {
      await (status === "recovering" ? recoverDatabase : provisionDatabase)(context, id, undefined);
    } catch (error) {
      if (error instanceof DatabaseUnavailableError || error instanceof LockLostError) throw error;
      // The copy is in `failure` now. Its job runs too, and reports the error.
    }
  }
  if (pendingCopies.length > 0 && (await findPendingCopies(context, databaseId)).length > 0) {
    throw new DatabaseUnavailableError(`Copies of the database ${databaseId} cannot be made now`);
  }
};
