import type { RecordStore, TableReplacement, TableStates } from "@mgmt/engine/internal";
import { Pool, type PoolClient, escapeIdentifier } from "pg";
import { retryWhileFull } from "../connection/retry-while-full.js";
import { type ConnectionConfig, type DatabaseAddress, toClientConfig } from "../policy/address.js";
import { recordsApplicationName } from "../policy/server-identity.js";
import { ClusterError } from "../policy/cluster-error.js";
import type { Installation } from "../policy/installation.js";
import {
  NewerSchemaError,
  OlderServersError,
  SchemaNotReadyError,
  migrateSchema,
  readInstallation,
  serversLockName,
} from "./migrate.js";
import { type RecordKeys, UnknownRecordKeyError } from "./record-keys.js";
import { AlteredSecretError, RowCodec } from "./row-codec.js";
import { reencryptRows } from "./reencrypt.js";
import { listUsedKeyIds } from "./used-keys.js";
import { PostgresStorageAdapter, buildLockAllRowsSql, toStorageError } from "./postgres-storage-adapter.js";
import { rejectOpenDatabase } from "./records-database.js";
import {
  type RegisteredServer,
  ServerRegistry,
  type SettingDigests,
  SettingsDifferError,
} from "./server-registry.js";
import { PostgresSessions } from "./postgres-sessions.js";
import { type RecordCounts, countRows } from "./count-rows.js";
import { isSchemaUnused, readAllTables, recordRemovals, replaceAllTables } from "./all-tables.js";

/** How the records are stored, encrypted, and shared with other servers. */
export interface RecordsOptions {
  /** The keys that encrypt secrets in the records. */
  readonly keys: RecordKeys;
  /** The schema with the tables. Default: `mgmt`. */
  readonly schema?: string;
  /** Maximum number of connections for requests. Default: 10. */
  readonly maxConnections?: number;
  /** How long a request waits to learn whether a commit whose response was lost took effect, in milliseconds. Default: 10000. */
  readonly commitCheckTimeoutMs?: number;
  /** Whether only the platform creates databases in the cluster. Default: false. */
  readonly isOwnCluster?: boolean;
  /** Registers the server process that `address` names, so that other servers know of it. Default: it is the only server. */
  readonly registration?: { readonly version: string; readonly settings: SettingDigests };
  /** Receives messages for the log. Default: they are discarded. */
  readonly onLog?: (line: string) => void;
  /** Whether to create the schema, or to update it to the current version. Default: true. */
  readonly migrates?: boolean;
}

/** The records of an installation, with a pool of connections until they are closed. */
export interface OpenRecords extends RecordStore {
  readonly sessions: PostgresSessions;
  /** The installation that the records belong to. */
  readonly installation: Installation;
  /**
   * Reads the keys again, and encrypts with the first one the values that the others have encrypted, while requests continue. From then on, this
   * process encrypts with the first one only. Another process uses its own first key until it reads its keys again, so the other keys are
   * not needed once every process has called this with the same first key, and the last of these calls has returned none.
   *
   * @returns the ids of other keys with which secrets are encrypted now, because a transaction was changing a row, or another process has
   *   just encrypted with one.
   * @throws AlteredSecretError when a row cannot be decrypted, after all others are encrypted; DatabaseUnavailableError; the error of
   *   reading the keys.
   */
  reencrypt(): Promise<string[]>;
  /** Returns the workspace of each database, by the id of the database. */
  readWorkspaces(): Promise<ReadonlyMap<string, string>>;
  /** The servers that work on these records. */
  readonly servers: ServerRegistry;
  /** Runs a statement on the records, such as a statement of the repair. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the servers that work on these records, oldest first. */
  listServers(): Promise<RegisteredServer[]>;
  /** Returns the counts for the metrics. */
  readCounts(): Promise<RecordCounts>;
  /** Clears the cache of loaded rows, because another instance of Postgres has replaced the previous one. */
  clearRowCache(): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

// Timeouts in milliseconds, so that nothing waits forever for a Postgres server that does not respond.
const connectTimeoutMs = 5_000;
const queryTimeoutMs = 15_000;
const lockTimeoutMs = 10_000;
/** How long a transaction may wait for its process, in milliseconds. Beside other processes, it must not hold locks for long. */
const idleTimeoutsMs = { alone: 60_000, besideOthers: 5_000 };

const sessionStartupOptions = {
  // Other roles may be allowed to create functions and operators in the database of the records.
  search_path: "pg_catalog",
  lock_timeout: lockTimeoutMs,
  // A prepared statement is planned once, when its tables may still be empty. Its plan must be right for many rows.
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  // Compiling a plan takes longer than the statements run.
  jit: "off",
};

/** Errors that are not about Postgres. */
const recordsErrors = [
  ClusterError,
  SettingsDifferError,
  NewerSchemaError,
  OlderServersError,
  SchemaNotReadyError,
  UnknownRecordKeyError,
  AlteredSecretError,
];

/** Connections that transactions which change rows leave to others, so that reading continues while they wait. */
const reservedConnections = 2;

/**
 * Opens the records in a schema of a database.
 *
 * @throws SchemaNotReadyError when the schema would have to be created or updated, and may not be; NewerSchemaError when a newer version of
 *   the program has changed the schema; OlderServersError; ClusterError when others can connect to the database, or the records are
 *   incomplete; UnknownRecordKeyError when the records were encrypted with other keys; DatabaseUnavailableError when Postgres cannot be
 *   reached.
 */
export const openRecords = async (
  address: DatabaseAddress,
  {
    keys,
    schema = "mgmt",
    maxConnections = 10,
    commitCheckTimeoutMs = 10_000,
    isOwnCluster = false,
    migrates = true,
    registration,
    onLog = () => undefined,
  }: RecordsOptions,
): Promise<OpenRecords> => {
  const config = buildConnectionConfig(address);
  const pool = openPool(config, maxConnections);
  const withClient: WithClient = (callback) => runWithClient(pool, callback);
  const servers = new ServerRegistry(schema);
  const query = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    withClient(async (client) => (await client.query<Row>(text, [...values])).rows);
  let installation: Installation;
  try {
    installation = await withClient(async (client) => {
      await rejectOpenDatabase(client, isOwnCluster);
      const storedInstallation = await (migrates ? migrateSchema : readInstallation)(client, schema);
      keys.requireAll(await listUsedKeyIds(client, schema));
      if (address.server && registration) {
        const server = { id: address.server.id, keyId: keys.current.id, ...registration };
        await registerServer(client, servers, server, schema, storedInstallation);
      }
      return storedInstallation;
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  const sessions = new PostgresSessions(config, installation);
  const runInTransaction = <T>(
    beginStatements: readonly string[],
    callback: (client: PoolClient) => Promise<T>,
  ): Promise<T> =>
    withClient(async (client) => {
      await client.query(beginStatements.join(";\n"));
      const result = await callback(client);
      await client.query("commit");
      return result;
    });
  const runExclusively = <T>(callback: (client: PoolClient) => Promise<T>): Promise<T> =>
    runInTransaction(["begin isolation level read committed", buildLockAllRowsSql(installation)], callback);
  const writeLockOptions = {
    maxConcurrent: Math.max(1, maxConnections - reservedConnections),
    acquireTimeoutMs: lockTimeoutMs,
  };
  const reportedProblems = new Set<string>();
  const storage = new PostgresStorageAdapter(pool, schema, {
    installation,
    commitCheckTimeoutMs,
    writeLockOptions,
    keys,
    onSlow: address.server && (() => address.server?.checkReplacement()),
    onAltered: ({ message }) => {
      if (!reportedProblems.has(message)) onLog(message);
      reportedProblems.add(message);
    },
  });
  const codec = new RowCodec(keys);
  return {
    installation,
    sessions,
    begin: storage.begin.bind(storage),
    readWorkspaces: () =>
      withClient(async (client) => {
        const { rows } = await client.query<{ id: string; workspace: string }>(
          `select id, workspace_id as workspace from ${escapeIdentifier(schema)}.databases`,
        );
        return new Map(rows.map(({ id, workspace }) => [id, workspace]));
      }),
    servers,
    query,
    listServers: () => servers.list(query),
    readCounts: () =>
      withClient(async (client) => ({
        ...(await countRows(client, schema)),
        recordsConnections: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
        recordsTrips: storage.tripCount,
      })),
    readAllTables: () =>
      keys.withNewKeys(() =>
        runInTransaction(["begin isolation level repeatable read read only"], (client) =>
          readAllTables(client, schema, codec),
        ),
      ),
    fillEmptyTables: (states) =>
      runExclusively(async (client) => {
        if (!(await isSchemaUnused(client, schema))) return false;
        await replaceAllTables(client, schema, codec, states, { isFirstWrite: true });
        return true;
      }),
    replaceAll: async (computeNextTables) => {
      const returnTables = await keys.withNewKeys(() =>
        runExclusively((client) => replaceTables(client, schema, codec, computeNextTables)),
      );
      return returnTables();
    },
    reencrypt: async () => {
      await keys.reload();
      // A transaction that is being committed may have encrypted with the previous first key.
      await runExclusively(() => Promise.resolve());
      return withClient(async (client) => {
        await reencryptRows(client, schema, codec);
        return (await listUsedKeyIds(client, schema)).filter((id) => id !== keys.current.id);
      });
    },
    clearRowCache: storage.clearRowCache.bind(storage),
    close: async () => {
      await sessions.close();
      await pool.end();
    },
  };
};

type WithClient = <T>(callback: (client: PoolClient) => Promise<T>) => Promise<T>;

const buildConnectionConfig = (address: DatabaseAddress): ConnectionConfig => ({
  ...toClientConfig(address, recordsApplicationName),
  database: address.database,
  connectionTimeoutMillis: connectTimeoutMs,
  query_timeout: queryTimeoutMs,
  keepAlive: true,
  options: Object.entries({
    ...sessionStartupOptions,
    idle_in_transaction_session_timeout: address.server ? idleTimeoutsMs.besideOthers : idleTimeoutsMs.alone,
  })
    .map(([name, value]) => `-c ${name}=${String(value)}`)
    .join(" "),
});

const openPool = (config: ConnectionConfig, maxConnections: number): Pool => {
  const pool = new Pool({ ...config, max: maxConnections });
  // The next request replaces an idle connection that is closed.
  pool.on("error", () => undefined);
  // The next query on a connection fails if the connection is closed while it is in use.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
};

/** Runs a callback on a connection of the pool. Closes the connection if the callback fails. */
const runWithClient = async <T>(pool: Pool, callback: (client: PoolClient) => Promise<T>): Promise<T> => {
  let client: PoolClient | undefined;
  try {
    client = await retryWhileFull(() => pool.connect());
    const result = await callback(client);
    client.release();
    return result;
  } catch (error) {
    // The connection may be in a transaction.
    client?.release(true);
    throw recordsErrors.some((type) => error instanceof type) ? error : toStorageError(error);
  }
};

/** Registers a server. Removes it again if a newer program has changed the schema meanwhile. */
const registerServer = async (
  client: PoolClient,
  servers: ServerRegistry,
  server: Parameters<ServerRegistry["register"]>[2],
  schema: string,
  installation: Installation,
): Promise<void> => {
  await servers.register(client, installation.toLockKey(serversLockName), server);
  // The schema may have changed before others knew of this server.
  await readInstallation(client, schema).catch(async (error: unknown) => {
    await client.query(`delete from ${escapeIdentifier(schema)}.servers where id = $1`, [server.id]);
    throw error;
  });
};

/**
 * Replaces all tables.
 *
 * @returns a function that returns the tables, or throws the error of `computeNextTables`. It is called after the transaction, whose own
 *   errors mean that Postgres is unavailable.
 */
const replaceTables = async (
  client: PoolClient,
  schema: string,
  codec: RowCodec,
  computeNextTables: (tables: TableStates) => TableStates,
): Promise<() => TableReplacement> => {
  const before = await readAllTables(client, schema, codec);
  let after: TableStates;
  try {
    after = computeNextTables(before);
  } catch (error) {
    return () => {
      throw error;
    };
  }
  await replaceAllTables(client, schema, codec, after);
  await recordRemovals(client, schema, before, after);
  return () => ({ before, after });
};
