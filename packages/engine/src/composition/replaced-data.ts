import type { DatabaseCredential, DatabaseEngine } from "../request/database-engine.js";
import type { DatabaseWork } from "../request/database-work.js";
import type { Transactions } from "../request/transactions.js";
import { isBeingDeleted } from "../rules/databases/copies.js";
import { withoutLocks } from "../store/backing.js";
import type { Replacement, TableStates } from "../store/records.js";
import type { BackupRow, ConnectionRow, DatabaseRow } from "../store/rows.js";
import { rowsIn, rowsRemoved } from "./stored-snapshot.js";

interface Work extends Pick<Transactions, "transact"> {
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
}

/**
 * Makes the real databases match rows that were replaced, each as soon as no work of any process uses it: drops those that the
 * rows no longer contain, and creates those that the rows contain again, which are empty. Sets the passwords of the rows. Marks
 * backups that the rows contain again as `failed` when their data is gone.
 *
 * @throws DatabaseUnavailableError when the database server cannot be reached.
 */
export const matchDatabases = async (replacement: Replacement, work: Work): Promise<void> => {
  await Promise.all([
    ...dropRemoved(replacement, work),
    ...createAdded(replacement, work),
    ...markLostBackups(replacement, work),
  ]);
};

const dropRemoved = (
  { before, after }: Replacement,
  { databaseEngine, databaseWork }: Work,
): Promise<void>[] => {
  const databases = rowsRemoved<DatabaseRow>(before, after, "databases").map(({ id }) => {
    databaseWork.cancelFilling(id);
    return databaseWork.inTurn([id], () => databaseEngine.drop(id));
  });
  const backups = rowsRemoved<BackupRow>(before, after, "backups").map(({ id, databaseId }) =>
    databaseWork.inTurn([databaseId], () => databaseEngine.dropBackup(id)),
  );
  return [...databases, ...backups];
};

const createAdded = (
  { before, after }: Replacement,
  { databaseEngine, databaseWork }: Work,
): Promise<void>[] => {
  const [known, wanted] = [existing(before), existing(after)];
  return [...wanted].flatMap(([id, credentials]) =>
    JSON.stringify(known.get(id)) === JSON.stringify(credentials)
      ? []
      : [databaseWork.inTurn([id], () => databaseEngine.create(id, { type: "empty" }, credentials))],
  );
};

const markLostBackups = (
  { before, after }: Replacement,
  { databaseEngine, databaseWork, ...world }: Work,
): Promise<void>[] => {
  const known = new Set(completedBackups(before).map(({ id }) => id));
  const added = completedBackups(after).filter(({ id }) => !known.has(id));
  return added.map(({ id, databaseId }) =>
    databaseWork.inTurn([databaseId], async () => {
      if (await databaseEngine.hasBackup(id)) return;
      await world.transact(withoutLocks, ({ store }) => {
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
