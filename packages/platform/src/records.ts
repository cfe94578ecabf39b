import type { BackupRow, DatabaseRow, Snapshot } from "@mgmt/mock/server";
import type { Losses, RecordedDatabase } from "./databases/reconcile.js";

/** The databases that the API's records speak of. */
export const recordedDatabases = ({ store }: Snapshot): RecordedDatabase[] => {
  const connections = store.connections.rows.map(([, row]) => row);
  const backups = store.backups.rows.map(([, row]) => row).filter(({ status }) => status === "completed");
  return store.databases.rows.map(([, { id }]) => ({
    databaseId: id,
    credentials: connections
      .filter(({ databaseId }) => databaseId === id)
      .map(({ id: connectionId, user, pass }) => ({ connectionId, user, pass })),
    backupIds: backups.filter(({ databaseId }) => databaseId === id).map((backup) => backup.id),
  }));
};

/**
 * The records with what Postgres has lost: such databases are in `failure`, such backups `failed`. So is a backup that was
 * running when the last run ended.
 */
export const withLosses = (snapshot: Snapshot, losses: Losses): Snapshot => {
  const database = (row: DatabaseRow): DatabaseRow =>
    row.made && losses.databaseIds.includes(row.id) ? { ...row, made: false, status: "failure" } : row;
  const backup = (row: BackupRow): BackupRow =>
    row.status === "running" || losses.backupIds.includes(row.id) ? { ...row, status: "failed" } : row;
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
