import type { BackupRow, DatabaseRow, Snapshot } from "@mgmt/engine";
import type { MissingData, RecordedDatabase } from "./databases/reconcile.js";

/** Returns the databases in a snapshot of the API's state. */
export const recordedDatabases = ({ store }: Snapshot): RecordedDatabase[] => {
  const connections = byDatabase(store.connections.rows.map(([, row]) => row));
  const backups = byDatabase(
    store.backups.rows.map(([, row]) => row).filter(({ status }) => status === "completed"),
  );
  return store.databases.rows.map(([, { id: databaseId }]) => ({
    databaseId,
    credentials: (connections.get(databaseId) ?? []).map(({ id, user, pass }) => ({
      connectionId: id,
      user,
      pass,
    })),
    backupIds: (backups.get(databaseId) ?? []).map(({ id }) => id),
  }));
};

const byDatabase = <Row extends { databaseId: string }>(rows: readonly Row[]): Map<string, Row[]> => {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.databaseId);
    if (group === undefined) groups.set(row.databaseId, [row]);
    else group.push(row);
  }
  return groups;
};

/**
 * Marks the databases that Postgres does not have, or that could not be repaired, as `failure`, and the backups it does not have as `failed`.
 */
export const markLost = (snapshot: Snapshot, missing: MissingData, broken: readonly string[]): Snapshot => {
  const database = (row: DatabaseRow): DatabaseRow =>
    row.made && missing.databaseIds.includes(row.id)
      ? { ...row, made: false, status: "failure" }
      : broken.includes(row.id)
        ? { ...row, status: "failure" }
        : row;
  const backup = (row: BackupRow): BackupRow =>
    missing.backupIds.includes(row.id) ? { ...row, status: "failed" } : row;
  const { databases, backups } = snapshot.store;
  return {
    ...snapshot,
    store: {
      ...snapshot.store,
      databases: { ...databases, rows: databases.rows.map(([sequence, row]) => [sequence, database(row)]) },
      backups: { ...backups, rows: backups.rows.map(([sequence, row]) => [sequence, backup(row)]) },
    },
  };
};
