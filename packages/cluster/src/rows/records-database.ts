import { Client, type ClientBase, DatabaseError, escapeIdentifier } from "pg";
import { isConcurrentChangeError } from "../connection/admin-connection.js";
import { type DatabaseAddress, toClientConfig } from "../policy/address.js";
import { recordsApplicationName } from "../policy/server-identity.js";
import { clusterErrors } from "../policy/cluster-error.js";

/** SQLSTATE of a database that exists, also while another process creates it. */
const duplicateCodes: ReadonlySet<string | undefined> = new Set(["42P04", "23505"]);

/** How often to try to open the database, while other processes do. */
const maxAttempts = 10;

/**
 * Creates the database of the records on a cluster that others also use, closed to them, unless it exists. It may have been interrupted
 * before.
 *
 * @param address the database of the records. The role needs CREATEDB if it does not exist.
 * @param maintenanceDatabase any other database that the role may connect to.
 */
export const createRecordsDatabase = async (
  address: DatabaseAddress,
  maintenanceDatabase = "postgres",
): Promise<void> => {
  const config = { ...toClientConfig(address, recordsApplicationName), database: maintenanceDatabase };
  // Other roles may be allowed to create functions and operators in this database.
  const client = new Client({ ...config, options: "-c search_path=pg_catalog" });
  await client.connect();
  try {
    const name = escapeIdentifier(address.database);
    const find = 'select datallowconn as "isOpen" from pg_database where datname = $1';
    for (let attempt = 1; ; attempt += 1) {
      const { rows } = await client.query<{ isOpen: boolean }>(find, [address.database]);
      if (rows[0]?.isOpen === true) return;
      if (rows.length === 0)
        await client
          .query(`create database ${name} template template0 allow_connections false`)
          .catch(ignoreDuplicate);
      // Until then no client can connect. Fails if another process does the same at this moment.
      await client
        .query(`revoke all on database ${name} from public; alter database ${name} allow_connections true`)
        .catch((error: unknown) => {
          if (!isConcurrentChangeError(error) || attempt === maxAttempts) throw error;
        });
    }
  } finally {
    await client.end();
  }
};

const ignoreDuplicate = (error: unknown): void => {
  if (!(error instanceof DatabaseError && duplicateCodes.has(error.code))) throw error;
};

/**
 * Rejects a database of records to which other roles can connect, because they could take its locks and use up its connections.
 *
 * @param isOwned whether the cluster belongs to the platform, so that the database is closed instead.
 * @throws ClusterError `cluster:records_open`.
 */
export const rejectOpenDatabase = async (client: ClientBase, isOwned: boolean): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    `select current_database() as name
      where has_database_privilege('public', current_database(), 'connect, create, temporary')`,
  );
  const [database] = rows;
  if (database === undefined) return;
  if (!isOwned) throw clusterErrors.recordsOpen(database.name);
  await client.query(`revoke all on database ${escapeIdentifier(database.name)} from public`);
};
