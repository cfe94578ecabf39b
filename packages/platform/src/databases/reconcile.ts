import type { DatabaseCredential } from "@mgmt/engine";
import { type Admin, identifier } from "./admin.js";
import type { Copies } from "./copies.js";
import type { Logins } from "./logins.js";
import { backupName, databaseName, kindOf } from "./names.js";

/** A database in the records of the API. */
export interface RecordedDatabase {
  databaseId: string;
  credentials: readonly DatabaseCredential[];
  /** Ids of completed backups. */
  backupIds: readonly string[];
}

/** What the records contain but Postgres does not. */
export interface MissingData {
  databaseIds: string[];
  backupIds: string[];
}

interface Found {
  name: string;
  open: boolean;
}

/**
 * Makes Postgres match the records after the platform ended at any moment: drops databases and roles without a record,
 * allows connections that an interrupted copy disallowed, and sets logins and passwords.
 *
 * @returns what is missing, and the spare databases that exist.
 */
export const reconcile = async (
  { admin, copies, logins }: { admin: Admin; copies: Copies; logins: Logins },
  recorded: readonly RecordedDatabase[],
): Promise<{ missing: MissingData; spares: string[] }> => {
  const found = await admin.query<Found>("select datname as name, datallowconn as open from pg_database");
  const present = new Map(found.map((database) => [database.name, database]));
  const wanted = new Set(
    recorded.flatMap(({ databaseId, backupIds }) => [
      databaseName(databaseId),
      ...backupIds.map((backupId) => backupName(databaseId, backupId)),
    ]),
  );
  for (const { name } of found) {
    const kind = kindOf(name);
    const isRecorded = kind === "temporary" || kind === "backup" || kind === "database";
    if (isRecorded && !wanted.has(name)) await copies.drop(name);
  }

  const databases = recorded.map((database) => ({ ...database, name: databaseName(database.databaseId) }));
  const owners = new Set(databases.map(({ name }) => name).filter((name) => present.has(name)));
  await dropOwners(admin, copies, logins, owners);
  await Promise.all(
    databases
      .filter(({ name }) => owners.has(name))
      .map(async ({ name, credentials }) => {
        if (present.get(name)?.open === false) {
          await admin.script([`alter database ${identifier(name)} allow_connections true`]);
        }
        await logins.dropAll(
          name,
          credentials.map(({ user }) => user),
        );
        for (const credential of credentials) await logins.grant(name, credential);
      }),
  );
  return {
    missing: {
      databaseIds: databases.filter(({ name }) => !present.has(name)).map(({ databaseId }) => databaseId),
      backupIds: recorded.flatMap(({ databaseId, backupIds }) =>
        backupIds.filter((backupId) => !present.has(backupName(databaseId, backupId))),
      ),
    },
    spares: found.filter(({ name }) => kindOf(name) === "spare").map(({ name }) => name),
  };
};

/** Drops owner roles whose database does not exist, and their logins. */
const dropOwners = async (
  admin: Admin,
  copies: Copies,
  logins: Logins,
  wanted: ReadonlySet<string>,
): Promise<void> => {
  const owners = await admin.query<{ role: string }>(
    `select rolname as role from pg_roles
      where not rolcanlogin and not rolsuper and oid >= 16384`,
  );
  for (const { role } of owners) {
    if (wanted.has(role)) continue;
    await logins.dropAll(role);
    await copies.dropRole(role);
  }
};
