import type { World } from "../../request/world.js";
import { type DatabaseCredential, DatabaseUnavailableError } from "../../request/database-engine.js";
import type { JobHandler, JobHandlers, JobWorld } from "../../time/job-handler.js";
import type { DatabaseRow, DatabaseSource, DatabaseStatus } from "../../store/rows.js";

const provisionJob = "database.provision";
const recoverJob = "database.recover";

/** Time after which work is repeated that could not reach the database server, in milliseconds. */
export const unavailableDelay = 500;

/** Schedules the creation of a database: from `provisioning` to `ready` or `failure`. */
export const beginProvisioning = (world: World, databaseId: string): void => {
  world.scheduler.schedule(world.clock, provisionJob, databaseId, world.settings.lifecycle.provisioning);
};

/** Schedules the restore of a database: from `recovering` to `ready` or `failure`. */
export const beginRecovering = (world: World, databaseId: string): void => {
  world.scheduler.cancel(world.clock, databaseId, recoverJob);
  world.scheduler.schedule(world.clock, recoverJob, databaseId, world.settings.lifecycle.recovering);
};

/** Cancels the jobs of a database that have not started. */
export const cancelLifecycle = ({ scheduler, clock }: World, databaseId: string): void => {
  for (const kind of [provisionJob, recoverJob]) scheduler.cancel(clock, databaseId, kind);
};

/** Schedules again the creation or restore that was canceled for a deletion, after the deletion failed. */
export const resumeLifecycle = ({ store, scheduler, clock }: World, databaseId: string): void => {
  const status = store.databases.get(databaseId)?.status;
  if (status === "provisioning") scheduler.schedule(clock, provisionJob, databaseId, 0);
  if (status === "recovering") scheduler.schedule(clock, recoverJob, databaseId, 0);
};

const isBeingDeleted = ({ changes = [] }: DatabaseRow): boolean =>
  changes.some(({ type }) => type === "deleteDatabase");

/**
 * Runs a step of a job of a database, in a transaction that keeps other changes of its workspace from running at the same time.
 * The database may be gone.
 */
export const changeDatabase = async <T>(
  world: JobWorld,
  databaseId: string,
  step: (world: World, row: DatabaseRow | undefined) => T,
): Promise<T> => {
  const row = await readDatabase(world, databaseId);
  const locks = row === undefined ? [] : [row.workspaceId];
  return world.transact({ mode: "write", locks }, (current) =>
    step(current, current.store.databases.get(databaseId)),
  );
};

const readDatabase = async (world: JobWorld, databaseId: string): Promise<DatabaseRow | undefined> =>
  world.transact({ mode: "read", locks: [] }, ({ store }) => store.databases.get(databaseId));

/**
 * Returns the databases that no other work may use while one is filled from this source, so that the source does not
 * change.
 */
const sourceIds = (source: DatabaseSource): string[] => (source.type === "empty" ? [] : [source.databaseId]);

/**
 * Runs work that fills a database, and sets its status from `underWay` to `ready` or `failure`. Does not change the
 * status if the database was deleted, or the control surface set another status, in the meantime. Schedules the job again
 * if the database server cannot be reached. Rethrows the error of the work unless a deletion canceled it.
 */
const fillDatabase = async (
  world: JobWorld,
  { id }: DatabaseRow,
  underWay: DatabaseStatus,
  job: string,
  fill: () => Promise<void>,
): Promise<void> => {
  const finish = (status: DatabaseStatus, changes: { made?: boolean }): Promise<DatabaseRow | undefined> =>
    changeDatabase(world, id, ({ store }, current) =>
      current === undefined
        ? undefined
        : store.databases.update(id, {
            ...changes,
            status: current.status === underWay ? status : current.status,
          }),
    );
  try {
    await world.databaseWork.filling(id, fill);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) {
      await changeDatabase(world, id, ({ scheduler, clock }, current) => {
        if (current) scheduler.schedule(clock, job, id, unavailableDelay);
      });
      return;
    }
    const failed = await finish("failure", {});
    if (failed && isBeingDeleted(failed)) return;
    throw error;
  }
  await finish("ready", { made: true });
};

/** Creates a database with a role for each of its connections. */
const make = async (world: JobWorld, { id, source }: DatabaseRow): Promise<void> => {
  const connections = await world.transact({ mode: "read", locks: [] }, ({ store }) =>
    store.connections.list({ databaseId: id }),
  );
  const credentials = connections.map(({ id: connectionId, user, pass }): DatabaseCredential => ({
    connectionId,
    user,
    pass,
  }));
  await world.databaseEngine.create(id, source, credentials);
};

/**
 * Returns a handler that runs when no other work uses the database or its source. It does nothing while the database is
 * being deleted.
 */
const inTurn =
  (work: (world: JobWorld, row: DatabaseRow) => Promise<void>): JobHandler =>
  async (world, databaseId) => {
    const source = (await readDatabase(world, databaseId))?.source;
    await world.databaseWork.inTurn([databaseId, ...(source ? sourceIds(source) : [])], async () => {
      const row = await readDatabase(world, databaseId);
      if (row !== undefined && !isBeingDeleted(row)) await work(world, row);
    });
  };

export const databaseJobs: JobHandlers = {
  [provisionJob]: inTurn(async (world, row) => {
    if (!row.made) await fillDatabase(world, row, "provisioning", provisionJob, () => make(world, row));
  }),

  /**
   * Restores a database. One that was never created is created from the backup, with a role for each of its
   * connections.
   */
  [recoverJob]: inTurn(async (world, row) => {
    if (row.status !== "recovering" || row.source.type !== "backup") return;
    const { backupId } = row.source;
    await fillDatabase(world, row, "recovering", recoverJob, () =>
      row.made ? world.databaseEngine.restore(row.id, backupId) : make(world, row),
    );
  }),
};
