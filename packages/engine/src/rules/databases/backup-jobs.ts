import { DatabaseUnavailableError, LockLostError } from "../../context/database-engine.js";
import type { OperationContext } from "../../context/operation-context.js";
import type { BackupRow } from "../../store/rows.js";
import { type JobHandlers, StoredFailureError } from "../../jobs/job-handler.js";
import type { Job } from "../../context/scheduler.js";
import { createJobPreload } from "./database-lifecycle.js";
import { readOnlyTransaction, writeWithoutLocks } from "../../store/storage-adapter.js";

const backUpJobKind = "backup.make";

/** Stores a backup that is running, and schedules the job that completes it. */
export const requestBackup = (
  { store, ids, clock, scheduler }: OperationContext,
  databaseId: string,
  backupType: BackupRow["backupType"],
): { backup: BackupRow; job: Job } => {
  const backup = store.backups.insert({
    id: ids.generateId("backup"),
    createdAt: clock.now(),
    databaseId,
    backupType,
    status: "running",
    size: null,
  });
  return { backup, job: scheduler.schedule(clock, { kind: backUpJobKind, subject: backup.id, delayMs: 0 }) };
};

/** The handlers of the jobs that make backups. */
export const backupJobs: JobHandlers = {
  /**
   * Backs up the current data. Schedules itself again if the database server cannot be reached. Does nothing when the backup was
   * deleted with its database, or the control surface set another status.
   */
  [backUpJobKind]: async (context, backupId, job) => {
    const findRunningBackup = async (): Promise<BackupRow | undefined> =>
      context.transact(readOnlyTransaction, ({ store }) => {
        const backup = store.backups.get(backupId);
        return backup?.status === "running" ? backup : undefined;
      });
    const updateRunningBackup = async (changes: Partial<BackupRow>): Promise<void> =>
      context.transact(
        writeWithoutLocks,
        ({ store, scheduler }) => {
          scheduler.complete(job);
          if (store.backups.get(backupId)?.status === "running") store.backups.update(backupId, changes);
        },
        () => [{ read: "row", table: "backups", id: backupId }, createJobPreload(job)],
      );
    const databaseId = (await findRunningBackup())?.databaseId;
    if (databaseId === undefined) return;
    try {
      await context.databaseWork.withLock([databaseId], async (lock) => {
        // A deletion may have come first.
        if ((await findRunningBackup()) === undefined) return;
        const { size } = await context.databaseEngine.backup(databaseId, backupId);
        await lock.confirm();
        await updateRunningBackup({ status: "completed", size });
      });
    } catch (error) {
      if (error instanceof LockLostError) throw error;
      if (!(error instanceof DatabaseUnavailableError)) {
        await updateRunningBackup({ status: "failed" });
        throw new StoredFailureError(error);
      }
      const random = Math.random();
      await context.transact(writeWithoutLocks, ({ scheduler, clock }) =>
        scheduler.repeat(clock, job, random),
      );
    }
  },
};
