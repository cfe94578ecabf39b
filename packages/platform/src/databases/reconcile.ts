import type { Credential } from "@mgmt/engine";
import { type Admin, identifier } from "./admin.js";
import type { Copies } from "./copies.js";
import type { Logins } from "./logins.js";
import { backupName, databaseName, kindOf } from "./names.js";

/** What the API's records say about one database. */
export interface RecordedDatabase {
  databaseId: string;
  credentials: readonly Credential[];
  /** The completed ones. */
  backupIds: readonly string[];
}

/** What the records have and Postgres has not. */
export interface Losses {
  databaseIds: string[];
  backupIds: string[];
}

interface Found {
  name: string;
  open: boolean;
}

/**
 * Brings Postgres to what the records say, after an end at any moment: takes away what has no record, opens what a copy
 * has left closed, makes logins and passwords those of the records.
 *
 * @returns what is lost, and the spare databases that are ready for use.
 */
export const reconcile = async (
  { admin, copies, logins }: { admin: Admin; copies: Copies; logins: Logins },
  recorded: readonly RecordedDatabase[],
): Promise<{ losses: Losses; spares: string[] }> => {
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
    const isOurs = kind === "work" || kind === "backup" || kind === "database";
    if (isOurs && !wanted.has(name)) await copies.drop(name);
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
    losses: {
      databaseIds: databases.filter(({ name }) => !present.has(name)).map(({ databaseId }) => databaseId),
      backupIds: recorded.flatMap(({ databaseId, backupIds }) =>
        backupIds.filter((backupId) => !present.has(backupName(databaseId, backupId))),
      ),
    },
    spares: found.filter(({ name }) => kindOf(name) === "spare").map(({ name }) => name),
  };
};

/** Owner roles whose database is gone, with their logins. */
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
