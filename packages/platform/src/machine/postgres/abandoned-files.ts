import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Runs a query of a superuser. */
export type RunQuery = <Row extends object>(text: string) => Promise<Row[]>;

/**
 * Removes the files of databases that Postgres does not have. A copy that a crash interrupts leaves them, and Postgres never removes them.
 * Does nothing while a database is being created, because its files come before its row.
 */
export const removeAbandonedFiles = async (directory: string, query: RunQuery): Promise<void> => {
  const base = join(directory, "base");
  const entries = await readdir(base, { withFileTypes: true });
  // A statement of its own, because the other statement must begin when no creation runs that it cannot see.
  const creations = await query(
    "select from pg_locks where relation = 'pg_database'::regclass and mode = 'RowExclusiveLock'",
  );
  if (creations.length > 0) return;
  const databases = await query<{ oid: string }>("select oid::text from pg_database");
  const oids = new Set(databases.map(({ oid }) => oid));
  for (const entry of entries) {
    if (entry.isDirectory() && /^[1-9]\d*$/.test(entry.name) && !oids.has(entry.name))
      await rm(join(base, entry.name), { recursive: true, force: true });
  }
};
