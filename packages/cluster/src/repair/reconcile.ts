import type { DatabaseCredential } from "@mgmt/engine";
import {
  type Admin,
  quoteIdentifier,
  isInvalidCondition,
  quoteLiteral,
} from "../connection/admin-connection.js";
import { type Attempt, createAttempt } from "../connection/attempt.js";
import type { Copies } from "../databases/database-copier.js";
import type { Logins } from "../logins/logins.js";
import {
  backupName,
  databaseName,
  kindOf,
  preparedPrefix,
  unfinishedPreparedPrefix,
} from "../policy/names.js";
import { createRole, isOurRoleCondition, isOurDatabaseCondition, platformRole } from "../policy/ownership.js";

/** A database in the records of the API. */
export interface RecordedDatabase {
  databaseId: string;
  credentials: readonly DatabaseCredential[];
  /** Ids of completed backups. */
  backupIds: readonly string[];
}

/** Databases and backups that are recorded but not in Postgres. */
export interface MissingData {
  databaseIds: string[];
  backupIds: string[];
}

interface PresentDatabase {
  name: string;
  open: boolean;
}

/** A recorded database that exists in Postgres. */
interface ExistingDatabase extends RecordedDatabase {
  name: string;
  /** Whether it allows connections. */
  isOpen: boolean;
}

/** The result of reconciling. */
export interface Reconciled {
  missing: MissingData;
  /** Ids of databases that exist but could not be made to match their records. */
  broken: string[];
  /** Messages about work that failed. */
  problems: string[];
  /** Names of the prepared databases that exist. */
  preparedDatabases: string[];
}

interface ReconcileParts {
  admin: Admin;
  copies: Copies;
  logins: Logins;
}

/**
 * Makes Postgres match the records after the platform ended at any moment: drops invalid databases, and databases and roles
 * of the platform without a record, allows connections that an interrupted copy disallowed, and sets logins and passwords. A problem with
 * one database does not affect the others.
 */
export const reconcile = async (
  parts: ReconcileParts,
  recorded: readonly RecordedDatabase[],
): Promise<Reconciled> => {
  const { admin } = parts;
  const problems: string[] = [];
  const attempt = createAttempt((problem) => void problems.push(problem));
  const databases = recorded.map((database) => ({ ...database, name: databaseName(database.databaseId) }));
  await dropInvalid(parts, attempt);
  const presentDatabases = await admin.query<PresentDatabase>(
    `select datname as name, datallowconn as open from pg_database d
      where not ${isInvalidCondition} and (${isOurDatabaseCondition} or datname = any ($1))`,
    [databases.map(({ name }) => name)],
  );
  const present = new Map(presentDatabases.map((database) => [database.name, database]));
  await dropForgotten(parts, recorded, presentDatabases, attempt);

  const existing = databases.flatMap((database) => {
    const { open: isOpen } = present.get(database.name) ?? {};
    return isOpen === undefined ? [] : [{ ...database, isOpen }];
  });
  await dropOwners(parts, new Set(existing.map(({ name }) => name)), attempt);
  const broken: string[] = [];
  const complete = admin.cluster.isClosedBeforeStart
    ? await parts.logins.resetPasswords(existing.filter(({ isOpen }) => isOpen))
    : new Set<string>();
  const otherDatabases = existing.filter(({ name }) => !complete.has(name));
  await Promise.all(
    otherDatabases.map(async (database) => {
      const { databaseId } = database;
      const done = await attempt(`The database ${databaseId} could not be repaired`, () =>
        repair(parts, database),
      );
      if (!done) broken.push(databaseId);
    }),
  );
  return {
    missing: {
      databaseIds: databases.filter(({ name }) => !present.has(name)).map(({ databaseId }) => databaseId),
      backupIds: recorded.flatMap(({ databaseId, backupIds }) =>
        backupIds.filter((backupId) => !present.has(backupName(databaseId, backupId))),
      ),
    },
    broken,
    problems,
    preparedDatabases: await findPreparedDatabases(admin),
  };
};

/** Returns the names of the prepared databases that are complete. */
export const findPreparedDatabases = async (admin: Admin): Promise<string[]> => {
  const rows = await admin.query<{ name: string }>(
    `select datname as name from pg_database d where ${isOurDatabaseCondition} and not ${isInvalidCondition}
      and starts_with(datname, ${quoteLiteral(preparedPrefix)})
      and not starts_with(datname, ${quoteLiteral(unfinishedPreparedPrefix)})`,
  );
  return rows.map(({ name }) => name);
};

const dropInvalid = async ({ admin, copies }: ReconcileParts, attempt: Attempt): Promise<void> => {
  const invalid = await admin.query<{ name: string }>(
    `select datname as name from pg_database d where ${isInvalidCondition} and ${isOurDatabaseCondition}`,
  );
  for (const { name } of invalid) {
    await attempt(`The remains of the Postgres database ${name} could not be dropped`, () =>
      copies.drop(name),
    );
  }
};

/** Drops databases of tenants, backups and unfinished copies that are not in the records. */
const dropForgotten = async (
  { copies }: ReconcileParts,
  recorded: readonly RecordedDatabase[],
  existing: readonly PresentDatabase[],
  attempt: Attempt,
): Promise<void> => {
  const wantedNames = new Set(
    recorded.flatMap(({ databaseId, backupIds }) => [
      databaseName(databaseId),
      ...backupIds.map((backupId) => backupName(databaseId, backupId)),
    ]),
  );
  for (const { name } of existing) {
    const kind = kindOf(name);
    const isKept = kind === "system" || (kind === "prepared" && !name.startsWith(unfinishedPreparedPrefix));
    if (isKept || wantedNames.has(name)) continue;
    await attempt(`The Postgres database ${name} could not be dropped`, () => copies.drop(name));
  }
};

/** Allows the logins of a database, and nobody else, to connect. */
const repair = async (
  { admin, logins }: ReconcileParts,
  { name, isOpen, credentials }: ExistingDatabase,
): Promise<void> => {
  const roles = await admin.query("select from pg_roles where rolname = $1", [name]);
  if (roles.length === 0) {
    await admin.script([
      ...createRole(admin.cluster, name, "nologin"),
      `alter database ${quoteIdentifier(name)} owner to ${quoteIdentifier(name)}`,
    ]);
  }
  if (!isOpen) await admin.script([`alter database ${quoteIdentifier(name)} allow_connections true`]);
  await logins.dropAll(
    name,
    credentials.map(({ user }) => user),
  );
  for (const credential of credentials) await logins.grant(name, credential);
};

/** Drops owner roles whose database does not exist, and their logins. */
const dropOwners = async (
  { admin, copies, logins }: ReconcileParts,
  wantedNames: ReadonlySet<string>,
  attempt: Attempt,
): Promise<void> => {
  const owners = await admin.query<{ role: string }>(
    `select rolname as role from pg_roles r
      where not rolcanlogin and rolname <> $1 and ${isOurRoleCondition}
        and not exists (select from pg_auth_members where member = r.oid)`,
    [platformRole],
  );
  for (const { role } of owners) {
    if (wantedNames.has(role)) continue;
    await attempt(`The role ${role} could not be dropped`, async () => {
      await logins.dropAll(role);
      await copies.dropRole(role, role);
    });
  }
};
