import { type ClientBase, DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
import { clusterErrors } from "../policy/cluster-error.js";
import { Installation, type InstallationKeys, createInstallationKeys } from "../policy/installation.js";
import {
  type Migration,
  buildMigrationStatements,
  buildMigrationsTableStatement,
  firstVersionWithServers,
  migrations,
} from "./migrations.js";
import { type RegisteredServer, ServerRegistry } from "./server-registry.js";

/** SQLSTATE of a table that does not exist. */
const undefinedTableCode = "42P01";

/** SQLSTATE of a column that does not exist. */
const undefinedColumnCode = "42703";

/** Thrown when a newer version of the program has changed the schema so that this one cannot use it. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";

  constructor(
    readonly storedVersion: number,
    readonly supportedVersion: number,
    /** The version of the oldest program that can use the schema. */
    readonly oldestProgram: number,
  ) {
    super(
      `The schema of the records has version ${String(storedVersion)}, which programs can use that support version ` +
        `${String(oldestProgram)}, but this program supports up to ${String(supportedVersion)}`,
    );
  }
}

/** Thrown when a step would remove parts of the schema that the programs of running servers need. */
export class OlderServersError extends Error {
  override readonly name = "OlderServersError";

  constructor(readonly servers: readonly Pick<RegisteredServer, "id" | "version">[]) {
    super(`Servers run that are too old for the new schema: ${servers.map(({ id }) => id).join(", ")}`);
  }
}

/** The name of the lock that servers take when they register. */
export const serversLockName = "servers";

/** Thrown when a schema does not exist, or was made by an earlier version of the program, and may not be changed. */
export class SchemaNotReadyError extends Error {
  override readonly name = "SchemaNotReadyError";

  constructor(readonly problem: "missing" | "outdated") {
    super(
      problem === "missing"
        ? "The schema of the records does not exist"
        : "The schema of the records was made by an earlier version",
    );
  }
}

/** The state of a schema. */
interface SchemaState {
  readonly version: number;
  readonly oldestProgram: number;
  readonly keys: InstallationKeys | undefined;
}

/**
 * Updates the schema to the current version in one transaction. Processes that start at the same time wait for each other.
 *
 * A schema that a newer program has updated is used as it is, unless one of its steps needs a newer program than this one. So programs of
 * two versions serve together while one replaces the other.
 *
 * @param steps default: the steps of this program.
 * @returns the installation that the records belong to. A new schema gets a new one.
 * @throws NewerSchemaError when this program is too old for the schema; OlderServersError while servers run that could not use it
 * afterwards; ClusterError when the records are incomplete. Nothing is changed then.
 */
export const migrateSchema = async (
  client: ClientBase,
  schemaName: string,
  steps: readonly Migration[] = migrations,
): Promise<Installation> => {
  const schema = escapeIdentifier(schemaName);
  let state = await readState(client, schema);
  // Usually there is nothing to change. A version never becomes lower.
  if (state === undefined || state.version < steps.length) {
    await applyMigrations(client, schemaName, steps);
    state = await readState(client, schema);
  }
  if (state !== undefined) rejectNewerSchema(state, steps);
  if (state?.keys === undefined) throw clusterErrors.recordsIncomplete(schemaName);
  return new Installation(state.keys);
};

/**
 * Returns the installation that the records belong to, and changes nothing.
 *
 * @throws SchemaNotReadyError; NewerSchemaError; ClusterError when the records are incomplete.
 */
export const readInstallation = async (client: ClientBase, schemaName: string): Promise<Installation> => {
  const state = await readState(client, escapeIdentifier(schemaName));
  if (state === undefined) throw new SchemaNotReadyError("missing");
  rejectNewerSchema(state, migrations);
  if (state.version < migrations.length) throw new SchemaNotReadyError("outdated");
  if (state.keys === undefined) throw clusterErrors.recordsIncomplete(schemaName);
  return new Installation(state.keys);
};

const rejectNewerSchema = (
  { version, oldestProgram }: SchemaState,
  { length: programVersion }: readonly Migration[],
): void => {
  if (oldestProgram > programVersion) throw new NewerSchemaError(version, programVersion, oldestProgram);
};

const applyMigrations = async (
  client: ClientBase,
  schemaName: string,
  steps: readonly Migration[],
): Promise<void> => {
  const schema = escapeIdentifier(schemaName);
  await client.query("begin");
  try {
    const lockName = escapeLiteral(`migrate ${schemaName}`);
    await client.query(`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`);
    await client.query(`create schema if not exists ${schema}`);
    await client.query(buildMigrationsTableStatement(schema));
    const { rows } = await client.query<{ version: number }>(
      `select coalesce(max(version), 0) as version from ${schema}.migrations`,
    );
    const storedVersion = rows[0]?.version ?? 0;
    await rejectOlderServers(client, schemaName, storedVersion, steps);
    const statements = buildMigrationStatements(schema, storedVersion, steps);
    if (storedVersion === 0)
      statements.push(buildStoreInstallationStatement(schema, createInstallationKeys()));
    await client.query([...statements, "commit"].join(";\n"));
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
};

/** Servers of an earlier version keep working, unless a `contract` step removes a part that they use. */
const rejectOlderServers = async (
  client: ClientBase,
  schemaName: string,
  storedVersion: number,
  steps: readonly Migration[],
): Promise<void> => {
  const oldestProgram = steps.at(-1)?.oldestProgram ?? 0;
  if (storedVersion < firstVersionWithServers || storedVersion >= steps.length) return;
  const state = await readState(client, escapeIdentifier(schemaName));
  if (state?.keys === undefined || oldestProgram <= state.oldestProgram) return;
  const lockKey = new Installation(state.keys).toLockKey(serversLockName);
  const olderServers = await new ServerRegistry(schemaName).listOlder(client, lockKey, oldestProgram);
  if (olderServers.length > 0) throw new OlderServersError(olderServers);
};

/** Returns the statement that stores the keys of a new installation in its records. */
export const buildStoreInstallationStatement = (schema: string, { id, secret }: InstallationKeys): string =>
  `insert into ${schema}.installation (id, secret) values (${escapeLiteral(id)}, ${escapeLiteral(secret)})`;

/** Returns the state of the schema; undefined when it does not exist. */
const readState = async (client: ClientBase, schema: string): Promise<SchemaState | undefined> => {
  try {
    const { rows } = await client.query<{
      version: number;
      oldest: number | null;
      id: string | null;
      secret: string | null;
    }>(
      `select version, oldest, id, secret
        from (select coalesce(max(version), 0) as version, max(coalesce(oldest_program, version)) as oldest
          from ${schema}.migrations) as state
        left join ${schema}.installation on true`,
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const { version, oldest, id, secret } = row;
    return {
      version,
      oldestProgram: oldest ?? 0,
      keys: id === null || secret === null ? undefined : { id, secret },
    };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code === undefinedTableCode) return undefined;
    // Only the first version does not record which programs can use it.
    if (error.code === undefinedColumnCode) return { version: 1, oldestProgram: 1, keys: undefined };
    throw error;
  }
};
