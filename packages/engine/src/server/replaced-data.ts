import {
  type DatabaseCredential,
  type DatabaseEngine,
  DatabaseUnavailableError,
} from "../context/database-engine.js";
import type { DatabaseWork } from "../context/database-work.js";
import type { Transactions } from "../context/transactions.js";
import type { JobRow } from "../context/server-rows.js";
import { isBeingDeleted } from "../rules/databases/copies.js";
import { loginJob } from "../rules/databases/database-changes.js";
import { findDatabase, unavailableDelay } from "../rules/databases/database-lifecycle.js";
import { readOnly, withoutLocks } from "../store/storage-adapter.js";
import type { Replacement, TableStates } from "../store/records.js";
import type { BackupRow, ConnectionRow, DatabaseRow } from "../store/rows.js";
import type { Pauses } from "../values/pauses.js";
import { rowsIn, rowsRemoved } from "./snapshot-tables.js";

interface Work extends Pick<Transactions, "transact"> {
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
}

/**
 * Makes the real databases match rows that were replaced, each as soon as no work of any process uses it: drops those that the
 * rows no longer contain, and creates those that the rows contain again, which are empty. Sets the passwords of the rows, and
 * removes logins that the rows no longer contain. Marks backups that the rows contain again as `failed` when their data is gone.
 * Waits while the database server cannot be reached. Each step reads the rows again, because they may have been replaced again.
 *
 * @param pauses between attempts to reach the database server.
 * @throws DatabaseUnavailableError when `pauses` have ended and the database server cannot be reached.
 */
export const matchDatabases = async (replacement: Replacement, work: Work, pauses: Pauses): Promise<void> => {
  const steps = [
    ...dropRemoved(replacement, work),
    ...matchLogins(replacement, work),
    ...markLostBackups(replacement, work),
  ];
  await Promise.all(steps.map((step) => whenAvailable(step, pauses)));
};

/** Does work that is safe to repeat, again and again until the database server can be reached. */
export const whenAvailable = async <T>(work: () => Promise<T>, pauses: Pauses): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || pauses.haveEnded) throw error;
      await pauses.pause(unavailableDelay);
    }
  }
};

type Step = () => Promise<void>;

const dropRemoved = (
  { before, after }: Replacement,
  { databaseEngine, databaseWork, ...context }: Work,
): Step[] => {
  const databases = rowsRemoved<DatabaseRow>(before, after, "databases").map(({ id }): Step => () => {
    databaseWork.cancelFilling(id);
    return databaseWork.withLock([id], async () => {
      if ((await findDatabase(context, id)) === undefined) await databaseEngine.drop(id);
    });
  });
  const backups = rowsRemoved<BackupRow>(before, after, "backups").map(
    ({ id, databaseId }): Step =>
      () =>
        databaseWork.withLock([databaseId], async () => {
          const backup = await context.transact(readOnly, ({ store }) => store.backups.get(id));
          if (backup === undefined) await databaseEngine.dropBackup(id);
        }),
  );
  return [...databases, ...backups];
};

const matchLogins = (
  { before, after }: Replacement,
  { databaseEngine, databaseWork, ...context }: Work,
): Step[] => {
  const [known, wanted] = [existing(before), existing(after)];
  const jobs = rowsIn<JobRow>(before, "jobs");
  const unsettled = new Set([...changing(before).map(({ id }) => id), ...jobs.map(({ subject }) => subject)]);
  const earlier = earlierConnections(before, jobs);
  const differing = [...wanted].filter(
    ([id, credentials]) => unsettled.has(id) || JSON.stringify(known.get(id)) !== JSON.stringify(credentials),
  );
  return differing.map(
    ([id]): Step =>
      () =>
        databaseWork.withLock([id], async () => {
          const database = await findDatabase(context, id);
          if (!database?.row.made || isBeingDeleted(database.row)) return;
          await databaseEngine.create(id, { type: "empty" }, database.credentials);
          const connectionIds = new Set(database.credentials.map(({ connectionId }) => connectionId));
          for (const connectionId of earlier.get(id) ?? []) {
            if (!connectionIds.has(connectionId)) await databaseEngine.revoke(id, connectionId);
          }
        }),
  );
};

/** Returns the databases with changes that were requested. The real database may have them already. */
const changing = (states: TableStates): DatabaseRow[] =>
  rowsIn<DatabaseRow>(states, "databases").filter(({ changes = [] }) => changes.length > 0);

/** Returns the ids of all connections that may have a login, by database. */
const earlierConnections = (states: TableStates, jobs: readonly JobRow[]): Map<string, Set<string>> => {
  const connectionIds = new Map<string, Set<string>>();
  const add = (databaseId: string, connectionId: string): void => {
    connectionIds.set(databaseId, (connectionIds.get(databaseId) ?? new Set()).add(connectionId));
  };
  for (const { id, databaseId } of rowsIn<ConnectionRow>(states, "connections")) add(databaseId, id);
  for (const { id, changes = [] } of changing(states)) {
    for (const change of changes) if (change.type === "createConnection") add(id, change.connection.id);
  }
  for (const { kind, subject, change } of jobs) if (kind === loginJob && change) add(subject, change);
  return connectionIds;
};

const markLostBackups = (
  { before, after }: Replacement,
  { databaseEngine, databaseWork, ...context }: Work,
): Step[] => {
  const known = new Set(completedBackups(before).map(({ id }) => id));
  const added = completedBackups(after).filter(({ id }) => !known.has(id));
  return added.map(
    ({ id, databaseId }): Step =>
      () =>
        databaseWork.withLock([databaseId], async () => {
          if (await databaseEngine.hasBackup(id)) return;
          await context.transact(withoutLocks, ({ store }) => {
            if (store.backups.get(id)?.status === "completed") store.backups.update(id, { status: "failed" });
          });
        }),
  );
};

const completedBackups = (states: TableStates): BackupRow[] =>
  rowsIn<BackupRow>(states, "backups").filter(({ status }) => status === "completed");

/** Returns the logins of the databases that have been created, by database. */
const existing = (states: TableStates): Map<string, DatabaseCredential[]> => {
  const rows = rowsIn<DatabaseRow>(states, "databases").filter((row) => row.made && !isBeingDeleted(row));
  const databases = new Map(rows.map(({ id }): [string, DatabaseCredential[]] => [id, []]));
  for (const { id, databaseId, user, pass } of rowsIn<ConnectionRow>(states, "connections"))
    databases.get(databaseId)?.push({ connectionId: id, user, pass });
  return databases;
};
