import type { World } from "../../request/world.js";
import type { DatabaseCredential } from "../../request/database-engine.js";
import type { JobHandler, JobHandlers } from "../../time/job-handler.js";
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

const credentials = (world: World, databaseId: string): DatabaseCredential[] =>
  world.store.connections
    .list({ databaseId })
    .map(({ id, user, pass }) => ({ connectionId: id, user, pass }));

/** The databases whose work must rest while one is filled from this source: what is copied may not vanish meanwhile. */
const sourceIds = (source: DatabaseSource): string[] => (source.type === "empty" ? [] : [source.databaseId]);

/**
 * Runs work that fills a database, and brings the database from `underWay` to `ready` or `failure`. One that was deleted
 * meanwhile, or brought into another state by the control surface, is left as it is. Throws why the work failed, for the
 * operator; work that a deletion cut short has not failed.
 */
const settle = async (
  world: World,
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
    if (work.isRemoving(row.id)) return;
    throw error;
  }
  finish("ready", { made: true });
};

const make = (world: World, row: DatabaseRow): Promise<void> =>
  world.databaseEngine.create(row.id, row.source, credentials(world, row.id));

/**
 * Does a job's work on the database in its turn. While the database is being removed the job stands back behind that,
 * and comes again should the removal fail.
 */
const inTurn =
  (kind: string, work: (world: World, row: DatabaseRow) => Promise<void>): JobHandler =>
  (world, databaseId) => {
    const source = world.store.databases.get(databaseId)?.source;
    return world.databaseWork.inTurn([databaseId, ...(source ? sourceIds(source) : [])], async () => {
      const row = world.store.databases.get(databaseId);
      if (row === undefined) return;
      if (world.databaseWork.isRemoving(databaseId)) world.scheduler.schedule(kind, databaseId, 0);
      else await work(world, row);
    });
  };

export const databaseJobs: JobHandlers = {
  [provisionJob]: inTurn(provisionJob, async (world, row) => {
    if (!row.made) await settle(world, row, "provisioning", () => make(world, row));
  }),

  /** A database that has never been made is made from the backup, with a role for each of its connections. */
  [recoverJob]: inTurn(recoverJob, async (world, row) => {
    if (row.status !== "recovering" || row.source.type !== "backup") return;
    const { backupId } = row.source;
    await settle(world, row, "recovering", () =>
      row.made ? world.databaseEngine.restore(row.id, backupId) : make(world, row),
    );
  }),
};
