import type { Database } from "@mgmt/sdk";
import { severalDatabases } from "../errors/database-errors.js";

type Listed = Pick<Database, "id" | "isDefault">;

/** Returns the database that commands use if none is given: the default one, or else the only one. */
export const findDefaultDatabase = <T extends Listed>(databases: readonly T[]): T | undefined =>
  databases.find(({ isDefault }) => isDefault) ?? (databases.length === 1 ? databases[0] : undefined);

/** Returns the same database of a project. Throws `database:not_found` and `database:several`. */
export const defaultDatabaseOf = <T extends Listed>(projectId: string, databases: readonly T[]): T => {
  const found = findDefaultDatabase(databases);
  if (found) return found;
  throw severalDatabases(
    projectId,
    databases.map(({ id }) => id),
  );
};
