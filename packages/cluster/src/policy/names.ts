import { createHash } from "node:crypto";

/**
 * Names inside Postgres. A tenant's database and its owner role are both named after the id of the database. Names with a dot belong to the
 * platform, because ids contain no dots. Names of unfinished work have the id of the installation as their second part.
 */

/** Postgres truncates names to 63 bytes. Two names of this length and a dot fit, and one of them after the parts of unfinished work. */
const maxNameLength = 31;

const toPostgresName = (id: string): string =>
  new RegExp(`^[a-z][a-z0-9_]{0,${String(maxNameLength - 1)}}$`).test(id) &&
  !id.startsWith("pg_") &&
  !systemNames.includes(id)
    ? id
    : `x_${createHash("sha256")
        .update(id)
        .digest("hex")
        .slice(0, maxNameLength - 2)}`;

/** Names of the databases that every server has. */
export const systemNames: readonly string[] = ["postgres", "template0", "template1"];

/** Returns the name of the database and of its owner role. */
export const toDatabaseName = toPostgresName;

/** Returns the name of the Postgres database that contains a backup. */
export const toBackupName = (databaseId: string, backupId: string): string =>
  `${toDatabaseName(databaseId)}.${toPostgresName(backupId)}`;

/** Returns the suffix of a backup's name, which identifies it without its database. */
export const toBackupSuffix = (backupId: string): string => `.${toPostgresName(backupId)}`;

/** Returns the part of a name that identifies a database or backup. */
export const getLastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

/**
 * Returns the name of the tenant's database that a database belongs to: itself, a backup, an unfinished copy, or a retained database. The name
 * of a retained backup does not contain the id of its database, so it is returned as it is.
 */
export const toTenantDatabaseName = (name: string): string => {
  const [firstPart = name] = name.split(".");
  return ["temporary", "retained"].includes(getDatabaseUse(name)) ? getLastPart(name) : firstPart;
};

/** `retained` is a database or backup that is not in the records. */
export type DatabaseUse = "database" | "backup" | "prepared" | "temporary" | "retained" | "system";

/** Returns the use of a Postgres database, by its name. */
export const getDatabaseUse = (name: string): DatabaseUse => {
  if (systemNames.includes(name)) return "system";
  if (name.startsWith("spare.")) return "prepared";
  if (name.startsWith("kept.")) return "retained";
  if (name.startsWith("making.") || name.startsWith("replaced.")) return "temporary";
  return name.includes(".") ? "backup" : "database";
};
