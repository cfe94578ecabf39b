import { type ClientBase, DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
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

/**
 * Updates the schema to the current version in one transaction. Processes that start at the same time wait for each other.
 *
 * @throws NewerSchemaError when a newer program has changed the schema. Nothing is changed then.
 */
export const migrateSchema = async (client: ClientBase, schemaName: string): Promise<void> => {
  const schema = escapeIdentifier(schemaName);
  // Usually there is nothing to change. A version never becomes lower.
  if ((await readVersion(client, schema)) === migrations.length) return;
  await client.query("begin");
  try {
    const lockName = escapeLiteral(`migrate ${schemaName}`);
    await client.query(`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`);
    await client.query(`create schema if not exists ${schema}`);
    await client.query(`create table if not exists ${schema}.migrations (version integer primary key)`);
    const storedVersion = (await readVersion(client, schema)) ?? 0;
    if (storedVersion > migrations.length) throw new NewerSchemaError(storedVersion, migrations.length);
    const statements = migrations
      .slice(storedVersion)
      .flatMap((migration, index) => [
        ...migration(schema),
        `insert into ${schema}.migrations values (${String(storedVersion + index + 1)})`,
      ]);
    await client.query([...statements, "commit"].join(";\n"));
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
};

/** Returns the version of the schema; undefined when it does not exist. */
const readVersion = async (client: ClientBase, schema: string): Promise<number | undefined> => {
  try {
    const { rows } = await client.query<{ version: number }>(
      `select coalesce(max(version), 0) as version from ${schema}.migrations`,
    );
    return rows[0]?.version;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === undefinedTableCode) return undefined;
    throw error;
  }
};
