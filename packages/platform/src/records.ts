import type { BackupRow, DatabaseRow, Snapshot } from "@mgmt/engine";
import type { Losses, RecordedDatabase } from "./databases/reconcile.js";

/** The databases that the API's records speak of. */
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
