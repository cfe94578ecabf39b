import type { World } from "../../request/world.js";
import type { DatabaseCredential } from "../../request/database-engine.js";
import type { JobHandler, JobHandlers, JobWorld } from "../../time/job-handler.js";
import type { DatabaseRow, DatabaseSource, DatabaseStatus } from "../../store/rows.js";

const provisionJob = "database.provision";
const recoverJob = "database.recover";

/** From now on the database is on its way from `provisioning` to `ready` or `failure`. */
export const beginProvisioning = (world: World, databaseId: string): void => {
  world.scheduler.schedule(provisionJob, databaseId, world.settings.lifecycle.provisioning);
};

/** From now on the database is on its way from `recovering` to `ready` or `failure`. */
export const beginRecovering = (world: World, databaseId: string): void => {
  world.scheduler.cancel(databaseId, recoverJob);
  world.scheduler.schedule(recoverJob, databaseId, world.settings.lifecycle.recovering);
};

/** Cancels the jobs that have not started. */
export const cancelLifecycle = ({ scheduler }: World, databaseId: string): void => {
  for (const kind of [provisionJob, recoverJob]) scheduler.cancel(databaseId, kind);
};

/** Starts the creation or restore again that stopped for a deletion, which then failed. */
export const resumeLifecycle = ({ store, scheduler }: World, databaseId: string): void => {
  const status = store.databases.get(databaseId)?.status;
  if (status === "provisioning") scheduler.schedule(provisionJob, databaseId, 0);
  if (status === "recovering") scheduler.schedule(recoverJob, databaseId, 0);
};

const isBeingDeleted = ({ store }: World, databaseId: string): boolean =>
  store.databases.get(databaseId)?.changes?.some(({ type }) => type === "deleteDatabase") ?? false;

const credentials = (world: World, databaseId: string): DatabaseCredential[] =>
  world.store.connections
    .list({ databaseId })
    .map(({ id, user, pass }) => ({ connectionId: id, user, pass }));

/** The databases whose work must rest while one is filled from this source: what is copied may not vanish meanwhile. */
const sourceIds = (source: DatabaseSource): string[] => (source.type === "empty" ? [] : [source.databaseId]);

/**
 * Runs work that fills a database, and sets its status from `underWay` to `ready` or `failure`. A database that was deleted
 * meanwhile stays deleted, and a status that the control surface set meanwhile stays. Throws why the work failed, unless a deletion
 * canceled it.
 */
const fillDatabase = async (
  world: JobWorld,
  row: DatabaseRow,
  underWay: DatabaseStatus,
  fill: () => Promise<void>,
): Promise<void> => {
  const finish = (status: DatabaseStatus, changes: { made?: boolean }): void => {
    const current = world.store.databases.get(row.id);
    if (current === undefined) return;
    world.store.databases.update(row.id, {
      ...changes,
      status: current.status === underWay ? status : current.status,
    });
  };
  const work = world.databaseWork;
  try {
    await work.filling(row.id, fill);
  } catch (error) {
    finish("failure", {});
    if (isBeingDeleted(world, row.id)) return;
    throw error;
  }
  finish("ready", { made: true });
};

const make = (world: JobWorld, row: DatabaseRow): Promise<void> =>
  world.databaseEngine.create(row.id, row.source, credentials(world, row.id));

/** Runs the work of a job when no other work uses the database or its source. Does nothing for a database that is being deleted. */
const inTurn =
  (work: (world: JobWorld, row: DatabaseRow) => Promise<void>): JobHandler =>
  (world, databaseId) => {
    const source = world.store.databases.get(databaseId)?.source;
    return world.databaseWork.inTurn([databaseId, ...(source ? sourceIds(source) : [])], async () => {
      const row = world.store.databases.get(databaseId);
      if (row !== undefined && !isBeingDeleted(world, databaseId)) await work(world, row);
    });
  };

export const databaseJobs: JobHandlers = {
  [provisionJob]: inTurn(async (world, row) => {
    if (!row.made) await fillDatabase(world, row, "provisioning", () => make(world, row));
  }),

  /** A database that has never been made is made from the backup, with a role for each of its connections. */
  [recoverJob]: inTurn(async (world, row) => {
    if (row.status !== "recovering" || row.source.type !== "backup") return;
    const { backupId } = row.source;
    await fillDatabase(world, row, "recovering", () =>
      row.made ? world.databaseEngine.restore(row.id, backupId) : make(world, row),
    );
  }),
};
