import { createHash } from "node:crypto";

/**
 * Names inside Postgres. A tenant's database and the role that owns all in it are both named by the database's id; names
 * with a dot are ours, which no id has.
 */

/** Postgres cuts names after 63 bytes; two of these and a dot fit. Ids of our making are 27 at most. */
const longest = 31;

const nameOf = (id: string): string =>
  new RegExp(`^[a-z][a-z0-9_]{0,${String(longest - 1)}}$`).test(id) &&
  !id.startsWith("pg_") &&
  !reserved.has(id)
    ? id
    : `x_${createHash("sha256")
        .update(id)
        .digest("hex")
        .slice(0, longest - 2)}`;

const reserved = new Set(["postgres", "template0", "template1"]);

/** The database, and its owner role. */
export const databaseName = nameOf;

export const backupName = (databaseId: string, backupId: string): string =>
  `${databaseName(databaseId)}.${nameOf(backupId)}`;

/** What the name of a backup ends with: it is found without knowing its database. */
export const backupSuffix = (backupId: string): string => `.${nameOf(backupId)}`;

/** The owner of what lies in a database, a tenant's or a backup. */
export const ownerOf = (name: string): string => name.split(".")[0] ?? name;

export const sparePrefix = "spare.";

/** A copy that is to become a database. */
export const makingName = (name: string): string => `making.${name}`;

/** The former content of a restored database, until it is dropped. */
export const replacedName = (name: string): string => `replaced.${name}`;

export type NameKind = "database" | "backup" | "spare" | "work" | "system";

export const kindOf = (name: string): NameKind => {
  if (reserved.has(name)) return "system";
  if (name.startsWith(sparePrefix)) return "spare";
  if (name.startsWith("making.") || name.startsWith("replaced.")) return "work";
  return name.includes(".") ? "backup" : "database";
};
