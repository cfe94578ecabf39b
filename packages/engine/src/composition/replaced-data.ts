import type { DatabaseCredential, DatabaseEngine } from "../request/database-engine.js";
import type { DatabaseWork } from "../request/database-work.js";
import { isBeingDeleted } from "../rules/databases/copies.js";
import type { Replacement, TableStates } from "../store/records.js";
import type { BackupRow, ConnectionRow, DatabaseRow } from "../store/rows.js";
import { rowsIn, rowsRemoved } from "./stored-snapshot.js";

interface Work {
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
}

/**
 * Makes the real databases match rows that were replaced, each as soon as no work of any process uses it: drops those that the
 * rows no longer contain, and creates those that the rows contain again, which are empty. Sets the passwords of the rows. Does
 * not make backups that the rows contain again.
 *
 * @throws DatabaseUnavailableError when the database server cannot be reached.
 */
export const matchDatabases = async (replacement: Replacement, work: Work): Promise<void> => {
  await Promise.all([...dropRemoved(replacement, work), ...createAdded(replacement, work)]);
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

/** Returns the logins of the databases that have been created, by database. */
const existing = (states: TableStates): Map<string, DatabaseCredential[]> => {
  const rows = rowsIn<DatabaseRow>(states, "databases").filter((row) => row.made && !isBeingDeleted(row));
  const databases = new Map(rows.map(({ id }): [string, DatabaseCredential[]] => [id, []]));
  for (const { id, databaseId, user, pass } of rowsIn<ConnectionRow>(states, "connections"))
    databases.get(databaseId)?.push({ connectionId: id, user, pass });
  return databases;
};
