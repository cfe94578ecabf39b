import { DatabaseUnavailableError, LockLostError } from "../../context/database-engine.js";
import type { RuleContext } from "../../context/rule-context.js";
import type { BackupRow } from "../../store/rows.js";
import type { JobHandlers } from "../../jobs/job-handler.js";
import type { Job } from "../../context/scheduler.js";
import { unavailableDelay } from "./database-lifecycle.js";
import { readOnly, withoutLocks } from "../../store/storage-adapter.js";

const backUpJob = "backup.make";

/** Stores a backup that is running, and schedules the job that completes it. */
export const beginBackup = (
  { store, ids, clock, scheduler }: RuleContext,
  databaseId: string,
  backupType: BackupRow["backupType"],
): { backup: BackupRow; job: Job } => {
  const backup = store.backups.insert({
    id: ids.id("backup"),
    createdAt: clock.now(),
    databaseId,
    backupType,
    status: "running",
    size: null,
  });
  return { backup, job: scheduler.schedule(clock, backUpJob, backup.id, 0) };
};

export const backupJobs: JobHandlers = {
  /**
   * Backs up the current data. Schedules itself again if the database server cannot be reached. Does nothing when the backup was
   * deleted with its database, or the control surface set another status.
   */
  [backUpJob]: async (context, backupId) => {
    const find = async (): Promise<BackupRow | undefined> =>
      context.transact(readOnly, ({ store }) => {
        const backup = store.backups.get(backupId);
        return backup?.status === "running" ? backup : undefined;
      });
    const finish = async (changes: Partial<BackupRow>): Promise<void> =>
      context.transact(withoutLocks, ({ store }) => {
        if (store.backups.get(backupId)?.status === "running") store.backups.update(backupId, changes);
      });
    const databaseId = (await find())?.databaseId;
    if (databaseId === undefined) return;
    try {
      await context.databaseWork.withLock([databaseId], async (lock) => {
        // A deletion may have come first.
        if ((await find()) === undefined) return;
        const { size } = await context.databaseEngine.backup(databaseId, backupId);
        await lock.confirm();
        await finish({ status: "completed", size });
      });
    } catch (error) {
      if (error instanceof LockLostError) throw error;
      if (!(error instanceof DatabaseUnavailableError)) {
        await finish({ status: "failed" });
        throw error;
      }
      await context.transact(withoutLocks, ({ scheduler, clock }) =>
        scheduler.schedule(clock, backUpJob, backupId, unavailableDelay),
      );
    }
  },
};
