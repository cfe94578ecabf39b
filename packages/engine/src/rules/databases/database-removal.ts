import type { World } from "../../request/world.js";
import type { JobHandlers } from "../../time/job-handler.js";

const dropBackupJob = "backup.drop";
const retryAfter = 60_000;

/**
 * Takes a real database away and then, in the same turn, runs `remove`, which takes the records away. Cuts a create or
 * restore that is under way short. Where the database engine fails, `remove` does not run and everything is as before.
 *
 * @param confirm Asked again after the wait for others' work: throws when the database is not to be removed any more.
 */
export const dropDatabase = async (
  world: World,
  databaseId: string,
  confirm: () => void,
  remove: () => void,
): Promise<void> => {
  const work = world.databaseWork;
  await work.removing(databaseId, async () => {
    if (work.isFilling(databaseId)) {
      await world.databaseEngine.drop(databaseId);
      if (world.store.databases.get(databaseId)) world.store.databases.update(databaseId, { made: false });
    }
    await work.inTurn([databaseId], async () => {
      confirm();
      await world.databaseEngine.drop(databaseId);
      remove();
    });
  });
};

/** Deletes the database's record with its connections and backups, and cancels what was planned for it. */
export const removeDatabase = (world: World, databaseId: string): void => {
  const { connections, backups, databases } = world.store;
  world.scheduler.cancel(databaseId);
  for (const { id } of connections.list({ databaseId })) connections.delete(id);
  for (const { id } of backups.list({ databaseId })) {
    backups.delete(id);
    world.scheduler.schedule(dropBackupJob, id, 0);
  }
  databases.delete(databaseId);
};

export const removalJobs: JobHandlers = {
  /** The record is gone; its data must follow, however often it takes. */
  [dropBackupJob]: async (world, backupId) => {
    try {
      await world.databaseEngine.dropBackup(backupId);
    } catch {
      world.scheduler.schedule(dropBackupJob, backupId, retryAfter);
    }
  },
};
