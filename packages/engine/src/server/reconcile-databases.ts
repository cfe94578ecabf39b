import {
  type DatabaseCredential,
  type DatabaseEngine,
  DatabaseUnavailableError,
} from "../context/database-engine.js";
import type { DatabaseWork } from "../context/database-work.js";
import type { Transactions } from "../context/transactions.js";
import type { JobRow } from "../context/server-rows.js";
import { hasPendingDeletion } from "../rules/databases/pending-copies.js";
import { loginJobKind } from "../rules/databases/database-changes.js";
import { computeRetryDelay, outageDelays } from "../jobs/retry-delay.js";
import { findDatabaseWithLogins } from "../rules/databases/database-lifecycle.js";
import { readOnlyTransaction, writeWithoutLocks } from "../store/storage-adapter.js";
import type { TableReplacement, TableStates } from "../store/records.js";
import type { BackupRow, ConnectionRow, DatabaseRow } from "../store/rows.js";
import type { Pauses } from "../values/pauses.js";
import { listTableRows, findRemovedRows } from "./snapshot-tables.js";

interface ReconciliationServices extends Pick<Transactions, "transact"> {
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
}

/**
 * Makes the real databases match rows that were replaced, each as soon as no work of any process uses it: drops those that the rows no
 * longer contain, and creates those that the rows contain again, which are empty. Sets the passwords of the rows, and removes logins that
 * the rows no longer contain. Marks backups that the rows contain again as `failed` if their data no longer exists. Waits while the
 * database server cannot be reached. Each step reads the rows again, because they may have been replaced again.
 *
 * @param pauses between attempts to reach the database server.
 * @throws DatabaseUnavailableError when `pauses` are stopped and the database server cannot be reached.
 */
export const reconcileDatabases = async (
  replacement: TableReplacement,
  services: ReconciliationServices,
  pauses: Pauses,
): Promise<void> => {
  const steps = [
    ...planDrops(replacement, services),
    ...planLoginChanges(replacement, services),
    ...planLostBackups(replacement, services),
  ];
  await Promise.all(steps.map((step) => retryUntilAvailable(step, pauses)));
};

/** Does work that is safe to repeat, again and again until the database server can be reached. */
export const retryUntilAvailable = async <T>(callback: () => Promise<T>, pauses: Pauses): Promise<T> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await callback();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || pauses.areStopped) throw error;
      await pauses.pause(computeRetryDelay(outageDelays, attempts));
    }
  }
};

type ReconciliationStep = () => Promise<void>;

const planDrops = (
  { before, after }: TableReplacement,
  { databaseEngine, databaseWork, ...context }: ReconciliationServices,
): ReconciliationStep[] => {
  const databases = findRemovedRows<DatabaseRow>(before, after, "databases").map(
    ({ id }): ReconciliationStep =>
      () => {
        databaseWork.cancelFill(id);
        return databaseWork.withLock([id], async () => {
          if ((await findDatabaseWithLogins(context, id)) === undefined) await databaseEngine.drop(id);
        });
      },
  );
  const backups = findRemovedRows<BackupRow>(before, after, "backups").map(
    ({ id, databaseId }): ReconciliationStep =>
      () =>
        databaseWork.withLock([databaseId], async () => {
          const backup = await context.transact(readOnlyTransaction, ({ store }) => store.backups.get(id));
          if (backup === undefined) await databaseEngine.dropBackup(id);
        }),
  );
  return [...databases, ...backups];
};

const planLoginChanges = (
  { before, after }: TableReplacement,
  { databaseEngine, databaseWork, ...context }: ReconciliationServices,
): ReconciliationStep[] => {
  const [loginsBefore, loginsAfter] = [listLoginsByDatabase(before), listLoginsByDatabase(after)];
  const jobs = listTableRows<JobRow>(before, "jobs");
  const unsettledDatabaseIds = new Set([
    ...listDatabasesWithChanges(before).map(({ id }) => id),
    ...jobs.map(({ subject }) => subject),
  ]);
  const connectionIdsBefore = listConnectionIdsByDatabase(before, jobs);
  const differingLogins = [...loginsAfter].filter(
    ([id, credentials]) =>
      unsettledDatabaseIds.has(id) || JSON.stringify(loginsBefore.get(id)) !== JSON.stringify(credentials),
  );
  return differingLogins.map(
    ([id]): ReconciliationStep =>
      () =>
        databaseWork.withLock([id], async () => {
          const database = await findDatabaseWithLogins(context, id);
          if (!database?.row.made || hasPendingDeletion(database.row)) return;
          await databaseEngine.create(id, { type: "empty" }, database.credentials);
          const connectionIds = new Set(database.credentials.map(({ connectionId }) => connectionId));
          for (const connectionId of connectionIdsBefore.get(id) ?? []) {
            if (!connectionIds.has(connectionId)) await databaseEngine.revoke(id, connectionId);
          }
        }),
  );
};

/** Returns the databases with changes that were requested. The real database may have them already. */
const listDatabasesWithChanges = (states: TableStates): DatabaseRow[] =>
  listTableRows<DatabaseRow>(states, "databases").filter(({ changes = [] }) => changes.length > 0);

/** Returns the ids of all connections that may have a login, by database. */
const listConnectionIdsByDatabase = (
  states: TableStates,
  jobs: readonly JobRow[],
): Map<string, Set<string>> => {
  const connectionIds = new Map<string, Set<string>>();
  const add = (databaseId: string, connectionId: string): void => {
    connectionIds.set(databaseId, (connectionIds.get(databaseId) ?? new Set()).add(connectionId));
  };
  for (const { id, databaseId } of listTableRows<ConnectionRow>(states, "connections")) add(databaseId, id);
  for (const { id, changes = [] } of listDatabasesWithChanges(states)) {
    for (const change of changes) if (change.type === "createConnection") add(id, change.connection.id);
  }
  for (const { kind, subject, change } of jobs) if (kind === loginJobKind && change) add(subject, change);
  return connectionIds;
};

const planLostBackups = (
  { before, after }: TableReplacement,
  { databaseEngine, databaseWork, ...context }: ReconciliationServices,
): ReconciliationStep[] => {
  const previousBackupIds = new Set(listCompletedBackups(before).map(({ id }) => id));
  const addedBackups = listCompletedBackups(after).filter(({ id }) => !previousBackupIds.has(id));
  return addedBackups.map(
    ({ id, databaseId }): ReconciliationStep =>
      () =>
        databaseWork.withLock([databaseId], async () => {
          if (await databaseEngine.hasBackup(id)) return;
          await context.transact(writeWithoutLocks, ({ store }) => {
            if (store.backups.get(id)?.status === "completed") store.backups.update(id, { status: "failed" });
          });
        }),
  );
};

const listCompletedBackups = (states: TableStates): BackupRow[] =>
  listTableRows<BackupRow>(states, "backups").filter(({ status }) => status === "completed");

/** Returns the logins of the databases that have been created, by database. */
const listLoginsByDatabase = (states: TableStates): Map<string, DatabaseCredential[]> => {
  const rows = listTableRows<DatabaseRow>(states, "databases").filter(
    (row) => row.made && !hasPendingDeletion(row),
  );
  const databases = new Map(rows.map(({ id }): [string, DatabaseCredential[]] => [id, []]));
  for (const { id, databaseId, user, pass } of listTableRows<ConnectionRow>(states, "connections"))
    if (pass !== null) databases.get(databaseId)?.push({ connectionId: id, user, pass });
  return databases;
};
