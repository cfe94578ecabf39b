import type { DatabaseCredential } from "@mgmt/engine";
import type { ConnectionRow } from "@mgmt/engine/internal";
import { groupBy } from "@mgmt/internal/values/group-by";
import { escapeIdentifier } from "pg";
import type { AdminConnection } from "../connection/admin-connection.js";
import type { RecordKeys } from "../rows/record-keys.js";
import { AlteredSecretError, RowCodec } from "../rows/row-codec.js";
import type { AlteredConnection, MissingData, ApiDatabase } from "./reconcile.js";

/** Runs statements in the database of the records. */
type RecordsQueries = Pick<AdminConnection, "query">;

/**
 * Returns the databases in the records, with their connections and backups.
 *
 * @param ids default: all databases.
 * @throws UnknownRecordKeyError.
 */
export const findApiDatabases = async (
  admin: RecordsQueries,
  schema: string,
  keys: RecordKeys,
  ids: readonly string[] | null = null,
): Promise<ApiDatabase[]> => {
  const codec = new RowCodec(keys);
  const databases = await admin.query<{ id: string }>(
    `select id from ${escapeIdentifier(schema)}.databases where $1::text[] is null or id = any ($1) order by seq`,
    [ids],
  );
  const connections = await admin.query<StoredConnection>(
    `select doc->>'databaseId' as "databaseId", id, doc->>'user' as user, doc::text as doc from ${escapeIdentifier(schema)}.connections
      where $1::text[] is null or database_id = any ($1) order by seq`,
    [ids],
  );
  const backups = await admin.query<{ databaseId: string; id: string; status: string }>(
    `select doc->>'databaseId' as "databaseId", id, doc->>'status' as status from ${escapeIdentifier(schema)}.backups
      where $1::text[] is null or database_id = any ($1) order by seq`,
    [ids],
  );
  const listBackups = (databaseId: string, status: string): string[] =>
    (backupsByDatabase.get(databaseId) ?? [])
      .filter((backup) => backup.status === status)
      .map(({ id }) => id);
  const connectionsByDatabase = groupBy(connections, ({ databaseId }) => databaseId);
  const backupsByDatabase = groupBy(backups, ({ databaseId }) => databaseId);
  return keys.withNewKeys(() =>
    databases.map(({ id: databaseId }) => ({
      databaseId,
      ...decodeConnections(codec, schema, connectionsByDatabase.get(databaseId) ?? []),
      backupIds: listBackups(databaseId, "completed"),
      runningBackupIds: listBackups(databaseId, "running"),
    })),
  );
};

interface StoredConnection {
  databaseId: string;
  id: string;
  user: string;
  doc: string;
}

/** Returns the password of a connection, or why it is not known. */
const decodePassword = (codec: RowCodec, id: string, doc: string): string | { problem: string } => {
  try {
    // The table has these rows.
    const { pass } = codec.decode("connections", doc) as ConnectionRow;
    return pass ?? { problem: `The password of the connection ${id} was altered before its row was changed` };
  } catch (error) {
    if (!(error instanceof AlteredSecretError)) throw error;
    return { problem: error.message };
  }
};

/** @throws UnknownRecordKeyError. */
const decodeConnections = (
  codec: RowCodec,
  schema: string,
  connections: readonly StoredConnection[],
): Pick<ApiDatabase, "credentials" | "alteredConnections"> => {
  const credentials: DatabaseCredential[] = [];
  const alteredConnections: AlteredConnection[] = [];
  for (const { id, user, doc } of connections) {
    const pass = decodePassword(codec, id, doc);
    if (typeof pass === "string") credentials.push({ connectionId: id, user, pass });
    else
      alteredConnections.push({
        user,
        problem: `${pass.problem}. Rotate the connection, or restore its row`,
      });
  }
  return { credentials, ...(alteredConnections.length > 0 && { alteredConnections }) };
};

/**
 * Returns the ids of databases and backups that may still be in Postgres although the records say that they should not be: those that
 * another state has replaced, and backups that have failed or are to be dropped. An id that the records use again is not among them.
 */
export const findDiscardedIds = async (admin: RecordsQueries, schema: string): Promise<string[]> => {
  const rows = await admin.query<{ id: string }>(
    `(select id from ${escapeIdentifier(schema)}.removals
      union select id from ${escapeIdentifier(schema)}.backups where doc->>'status' = 'failed'
      union select subject from ${escapeIdentifier(schema)}.jobs where doc->>'kind' = 'backup.drop')
      except (select id from ${escapeIdentifier(schema)}.databases
        union select id from ${escapeIdentifier(schema)}.backups where doc->>'status' <> 'failed')`,
  );
  return rows.map(({ id }) => id);
};

/** SQL condition on a database whose deletion was requested: it may be partly done, and its job completes it. */
const pendingDeletionCondition = `coalesce(doc->'changes', '[]') @> '[{"type": "deleteDatabase"}]'`;

/**
 * Returns the ids of the databases whose deletion was requested and is not complete, except those that must be copied to another
 * database first.
 */
export const findInterruptedDeletions = async (admin: RecordsQueries, schema: string): Promise<string[]> => {
  const rows = await admin.query<{ id: string }>(
    `select id from ${escapeIdentifier(schema)}.databases
      where id in (select subject from ${escapeIdentifier(schema)}.jobs) and ${pendingDeletionCondition} and doc->'copies' is null
      order by seq`,
  );
  return rows.map(({ id }) => id);
};

/**
 * Marks the databases that Postgres does not have, or that could not be repaired, as `failure`, unless they are being deleted,
 * and the backups that it does not have as `failed`. A running backup without a job is also `failed`.
 *
 * @returns the ids of the databases whose data is lost.
 */
export const markRecordsAsLost = async (
  admin: RecordsQueries,
  schema: string,
  missingData: MissingData,
  brokenIds: readonly string[],
): Promise<string[]> => {
  const lostRows = await admin.query<{ id: string }>(
    `update ${escapeIdentifier(schema)}.databases set doc = doc || '{"made": false, "status": "failure"}'
      where id = any ($1) and (doc->>'made')::boolean and not ${pendingDeletionCondition} returning id`,
    [missingData.databaseIds],
  );
  await admin.query(
    `update ${escapeIdentifier(schema)}.databases set doc = doc || '{"status": "failure"}'
      where id = any ($1) and not ${pendingDeletionCondition}`,
    [brokenIds],
  );
  await admin.query(
    `update ${escapeIdentifier(schema)}.backups b set doc = doc || '{"status": "failed"}'
      where id = any ($1)
        or doc->>'status' = 'running' and not exists (select from ${escapeIdentifier(schema)}.jobs where subject = b.id)`,
    [missingData.backupIds],
  );
  return lostRows.map(({ id }) => id);
};
