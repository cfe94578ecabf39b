import type { DatabaseCredential } from "@mgmt/engine";
import {
  type AdminConnection,
  quoteIdentifier,
  invalidDatabaseCondition,
  quoteLiteral,
} from "../connection/admin-connection.js";
import { type Attempt, createAttempt } from "../connection/attempt.js";
import { ForeignNameError } from "../databases/catalog.js";
import type { DatabaseCopier } from "../databases/database-copier.js";
import type { Logins } from "../logins/logins.js";
import { toBackupName, toDatabaseName, classifyName } from "../policy/names.js";
import { buildCreateRoleStatements } from "../policy/ownership.js";

/** A database in the records of the API. */
export interface ApiDatabase {
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
  /** Whether others have made it. */
  foreign: boolean;
}

/** A recorded database that exists in Postgres. */
interface ExistingDatabase extends ApiDatabase {
  name: string;
  /** Whether it allows connections. */
  isOpen: boolean;
}

/** The result of reconciling. */
export interface Reconciliation {
  missingData: MissingData;
  /** Ids of databases that exist but could not be made to match their records. */
  brokenIds: string[];
  /** Messages about work that failed. */
  problems: string[];
  /** Names of the prepared databases that exist. */
  preparedDatabases: string[];
}

interface ReconciliationServices {
  admin: AdminConnection;
  copier: DatabaseCopier;
  logins: Logins;
}

/**
 * Makes Postgres match the records after the platform ended at any moment: drops invalid databases, and databases and roles
 * of the platform without a record, allows connections that an interrupted copy disallowed, and sets logins and passwords. A problem with
 * one database does not affect the others.
 */
export const reconcile = async (
  services: ReconciliationServices,
  apiDatabases: readonly ApiDatabase[],
): Promise<Reconciliation> => {
  const { admin } = services;
  const { platformDatabaseCondition } = admin.cluster.installation;
  const problems: string[] = [];
  const attempt = createAttempt((problem) => void problems.push(problem));
  const databases = apiDatabases.map((database) => ({
    ...database,
    name: toDatabaseName(database.databaseId),
  }));
  await dropInvalidDatabases(services, attempt);
  const presentDatabases = await admin.query<PresentDatabase>(
    `select datname as name, datallowconn as open, not ${platformDatabaseCondition} as foreign from pg_database d
      where not ${invalidDatabaseCondition} and (${platformDatabaseCondition} or datname = any ($1))`,
    [databases.map(({ name }) => name)],
  );
  const presentByName = new Map(presentDatabases.map((database) => [database.name, database]));
  await dropUnrecordedDatabases(services, apiDatabases, presentDatabases, attempt);

  const existingDatabases = databases.flatMap((database) => {
    const { open: isOpen, foreign } = presentByName.get(database.name) ?? {};
    return isOpen === undefined || foreign === true ? [] : [{ ...database, isOpen }];
  });
  await dropOrphanedOwners(services, new Set(existingDatabases.map(({ name }) => name)), attempt);
  const foreignDatabases = databases.filter(({ name }) => presentByName.get(name)?.foreign === true);
  for (const { name } of foreignDatabases) problems.push(new ForeignNameError(name).message);
  const brokenIds = foreignDatabases.map(({ databaseId }) => databaseId);
  const completeNames = admin.cluster.isClosedBeforeStart
    ? await services.logins.resetPasswords(existingDatabases.filter(({ isOpen }) => isOpen))
    : new Set<string>();
  const otherDatabases = existingDatabases.filter(({ name }) => !completeNames.has(name));
  await Promise.all(
    otherDatabases.map(async (database) => {
      const { databaseId } = database;
      const isRepaired = await attempt(`The database ${databaseId} could not be repaired`, () =>
        repairDatabase(services, database),
      );
      if (!isRepaired) brokenIds.push(databaseId);
    }),
  );
  return {
    missingData: {
      databaseIds: databases
        .filter(({ name }) => !presentByName.has(name))
        .map(({ databaseId }) => databaseId),
      backupIds: apiDatabases.flatMap(({ databaseId, backupIds }) =>
        backupIds.filter((backupId) => !presentByName.has(toBackupName(databaseId, backupId))),
      ),
    },
    brokenIds,
    problems,
    preparedDatabases: await findPreparedDatabases(admin),
  };
};

/** Returns the names of the prepared databases that are complete. */
export const findPreparedDatabases = async (admin: AdminConnection): Promise<string[]> => {
  const { platformDatabaseCondition, preparedNamePrefix, unfinishedPreparedNamePrefix } =
    admin.cluster.installation;
  const rows = await admin.query<{ name: string }>(
    `select datname as name from pg_database d where ${platformDatabaseCondition} and not ${invalidDatabaseCondition}
      and starts_with(datname, ${quoteLiteral(preparedNamePrefix)})
      and not starts_with(datname, ${quoteLiteral(unfinishedPreparedNamePrefix)})`,
  );
  return rows.map(({ name }) => name);
};

const dropInvalidDatabases = async (
  { admin, copier }: ReconciliationServices,
  attempt: Attempt,
): Promise<void> => {
  const invalidDatabases = await admin.query<{ name: string }>(
    `select datname as name from pg_database d where ${invalidDatabaseCondition} and ${admin.cluster.installation.platformDatabaseCondition}`,
  );
  for (const { name } of invalidDatabases) {
    await attempt(`The remains of the Postgres database ${name} could not be dropped`, () =>
      copier.drop(name),
    );
  }
};

/** Drops databases of tenants, backups and unfinished copies that are not in the records. */
const dropUnrecordedDatabases = async (
  { admin, copier }: ReconciliationServices,
  apiDatabases: readonly ApiDatabase[],
  presentDatabases: readonly PresentDatabase[],
  attempt: Attempt,
): Promise<void> => {
  const recordedNames = new Set(
    apiDatabases.flatMap(({ databaseId, backupIds }) => [
      toDatabaseName(databaseId),
      ...backupIds.map((backupId) => toBackupName(databaseId, backupId)),
    ]),
  );
  const { unfinishedPreparedNamePrefix } = admin.cluster.installation;
  for (const { name, foreign } of presentDatabases) {
    const kind = classifyName(name);
    const isKept =
      foreign || kind === "system" || (kind === "prepared" && !name.startsWith(unfinishedPreparedNamePrefix));
    if (isKept || recordedNames.has(name)) continue;
    await attempt(`The Postgres database ${name} could not be dropped`, () => copier.drop(name));
  }
};

/** Allows the logins of a database, and nobody else, to connect. */
const repairDatabase = async (
  { admin, logins }: ReconciliationServices,
  { name, isOpen, credentials }: ExistingDatabase,
): Promise<void> => {
  const roles = await admin.query(
    `select from pg_roles r where rolname = $1 and ${admin.cluster.installation.platformRoleCondition}`,
    [name],
  );
  if (roles.length === 0) {
    await admin.runScript([
      ...buildCreateRoleStatements(admin.cluster, name, "nologin"),
      `alter database ${quoteIdentifier(name)} owner to ${quoteIdentifier(name)}`,
    ]);
  }
  if (!isOpen) await admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections true`]);
  await logins.dropAllLogins(
    name,
    credentials.map(({ user }) => user),
  );
  for (const credential of credentials) await logins.grant(name, credential);
};

/** Drops owner roles whose database does not exist, and their logins. */
const dropOrphanedOwners = async (
  { admin, copier, logins }: ReconciliationServices,
  existingNames: ReadonlySet<string>,
  attempt: Attempt,
): Promise<void> => {
  const { platformRole, platformRoleCondition } = admin.cluster.installation;
  const owners = await admin.query<{ role: string }>(
    `select rolname as role from pg_roles r
      where not rolcanlogin and rolname <> $1 and ${platformRoleCondition}
        and not exists (select from pg_auth_members where member = r.oid)`,
    [platformRole],
  );
  for (const { role } of owners) {
    if (existingNames.has(role)) continue;
    await attempt(`The role ${role} could not be dropped`, async () => {
      await logins.dropAllLogins(role);
      await copier.dropRole(role, role);
    });
  }
};
