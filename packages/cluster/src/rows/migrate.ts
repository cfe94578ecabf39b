import { type ClientBase, DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
import { clusterErrors } from "../policy/cluster-error.js";
import { Installation, type InstallationKeys, createInstallationKeys } from "../policy/installation.js";
import { migrations } from "./migrations.js";

/** SQLSTATE of a table that does not exist. */
const undefinedTableCode = "42P01";

/** Thrown when a newer version of the program has changed the schema. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";

  constructor(
    readonly storedVersion: number,
    readonly supportedVersion: number,
  ) {
    super(
      `The schema of the records has version ${String(storedVersion)}, but this program supports up to ${String(supportedVersion)}`,
    );
  }
}

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

/** What a schema has. */
interface SchemaState {
  readonly version: number;
  readonly keys: InstallationKeys | undefined;
}

/**
 * Updates the schema to the current version in one transaction. Processes that start at the same time wait for each other.
 *
 * @returns the installation that the records belong to. A new schema gets a new one.
 * @throws NewerSchemaError when a newer program has changed the schema; ClusterError when the records are incomplete. Nothing is changed
 *   then.
 */
export const migrateSchema = async (client: ClientBase, schemaName: string): Promise<Installation> => {
  const schema = escapeIdentifier(schemaName);
  let state = await readState(client, schema);
  // Usually there is nothing to change. A version never becomes lower.
  if (state?.version !== migrations.length) {
    await applyMigrations(client, schemaName);
    state = await readState(client, schema);
  }
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
  if (state.version > migrations.length) throw new NewerSchemaError(state.version, migrations.length);
  if (state.version < migrations.length) throw new SchemaNotReadyError("outdated");
  if (state.keys === undefined) throw clusterErrors.recordsIncomplete(schemaName);
  return new Installation(state.keys);
};

const applyMigrations = async (client: ClientBase, schemaName: string): Promise<void> => {
  const schema = escapeIdentifier(schemaName);
  await client.query("begin");
  try {
    const lockName = escapeLiteral(`migrate ${schemaName}`);
    await client.query(`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`);
    await client.query(`create schema if not exists ${schema}`);
    await client.query(`create table if not exists ${schema}.migrations (version integer primary key)`);
    const { rows } = await client.query<{ version: number }>(
      `select coalesce(max(version), 0) as version from ${schema}.migrations`,
    );
    const storedVersion = rows[0]?.version ?? 0;
    if (storedVersion > migrations.length) throw new NewerSchemaError(storedVersion, migrations.length);
    const statements = migrations
      .slice(storedVersion)
      .flatMap((migration, index) => [
        ...migration(schema),
        `insert into ${schema}.migrations values (${String(storedVersion + index + 1)})`,
      ]);
    if (storedVersion === 0)
      statements.push(buildStoreInstallationStatement(schema, createInstallationKeys()));
    await client.query([...statements, "commit"].join(";\n"));
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
};

/** Returns the statement that stores the keys of a new installation in its records. */
export const buildStoreInstallationStatement = (schema: string, { id, secret }: InstallationKeys): string =>
  `insert into ${schema}.installation (id, secret) values (${escapeLiteral(id)}, ${escapeLiteral(secret)})`;

/** Returns what the schema has; undefined when it does not exist. */
const readState = async (client: ClientBase, schema: string): Promise<SchemaState | undefined> => {
  try {
    const { rows } = await client.query<{ version: number; id: string | null; secret: string | null }>(
      `select (select coalesce(max(version), 0) from ${schema}.migrations) as version, id, secret
        from (select) as one left join ${schema}.installation on true`,
    );
    const [{ version, id, secret } = { version: 0, id: null, secret: null }] = rows;
    return { version, keys: id === null || secret === null ? undefined : { id, secret } };
  } catch (error) {
    if (error instanceof DatabaseError && error.code === undefinedTableCode) return undefined;
    throw error;
  }
};
