import type { OperationContext } from "../../context/operation-context.js";
import { clearPendingCopy } from "./pending-copies.js";
import { cancelLifecycleJobs } from "./database-lifecycle.js";
import type { JobHandlers } from "../../jobs/job-handler.js";
import { writeWithoutLocks } from "../../store/storage-adapter.js";

const dropBackupJobKind = "backup.drop";
const dropRetryDelayMs = 60_000;

/** Deletes the rows of a database, its connections and its backups. Cancels its creation or restore. */
export const removeDatabase = (context: OperationContext, databaseId: string): void => {
  const { connections, backups, databases } = context.store;
  cancelLifecycleJobs(context, databaseId);
  const database = databases.get(databaseId);
  if (database) clearPendingCopy(context, database);
  for (const { id } of connections.list({ databaseId })) connections.delete(id);
  for (const { id } of backups.list({ databaseId })) {
    backups.delete(id);
    context.scheduler.schedule(context.clock, { kind: dropBackupJobKind, subject: id, delayMs: 0 });
  }
  databases.delete(databaseId);
};

/** Deletes the rows of a project and its branches. */
export const removeProject = ({ store }: OperationContext, projectId: string): void => {
  for (const { id } of store.branches.list({ projectId })) store.branches.delete(id);
  store.projects.delete(projectId);
};

/** The handlers of the jobs that delete the data of deleted backups. */
export const removalJobs: JobHandlers = {
  /** Retries until the data of the deleted backup is deleted. */
  [dropBackupJobKind]: async (context, backupId) => {
    try {
      await context.databaseEngine.dropBackup(backupId);
    } catch {
      await context.transact(writeWithoutLocks, ({ scheduler, clock }) =>
        scheduler.schedule(clock, { kind: dropBackupJobKind, subject: backupId, delayMs: dropRetryDelayMs }),
      );
    }
  },
};
