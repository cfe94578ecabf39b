import type { DatabaseCredential } from "@mgmt/engine";
import {
  type AdminConnection,
  quoteIdentifier,
  invalidDatabaseCondition,
  quoteLiteral,
} from "../connection/admin-connection.js";
import { type RunOrReport, dropOrReport, createRunOrReport } from "../connection/run-or-report.js";
import { ForeignNameError } from "../databases/catalog.js";
import type { DatabaseCopier } from "../databases/database-copier.js";
import type { RoleRemover } from "../databases/role-remover.js";
import {
  RetainedDatabases,
  type RecordedDatabase,
  formatRetainedMessage,
  listRecordedNames,
} from "./retained-databases.js";
import type { Logins } from "../logins/logins.js";
import { clusterErrors } from "../policy/cluster-error.js";
import { getDatabaseUse, getLastPart, toBackupName, toDatabaseName } from "../policy/names.js";
import { createRoleStatements, joinRoleStatements } from "../policy/role-statements.js";

/** A connection whose password in the records was altered. */
export interface AlteredConnection {
  user: string;
  /** Identifies the row. */
  problem: string;
}

/** A database in the records of the API. */
export interface ApiDatabase extends RecordedDatabase {
  credentials: readonly DatabaseCredential[];
  /** Connections whose password in the records cannot be decrypted. Their logins stay as they are. */
  alteredConnections?: readonly AlteredConnection[];
}

/** Databases and backups that are recorded but not in Postgres. */
export interface MissingData {
  databaseIds: string[];
  backupIds: string[];
}

interface PresentDatabase {
  name: string;
  isOpen: boolean;
  /** Whether it does not belong to the installation. */
  isForeign: boolean;
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
  /** Ids of databases that exist but could not be made to match their records, or whose records were altered. */
  brokenIds: string[];
  /** Messages about work that failed, and about records that were altered. */
  problems: string[];
  /** Names of the prepared databases that exist. */
  preparedDatabases: string[];
  /** Databases whose logins are not checked yet. */
  pendingRepairs: ApiDatabase[];
}

interface ReconciliationServices {
  admin: AdminConnection;
  copier: DatabaseCopier;
  roleRemover: RoleRemover;
  logins: Logins;
}

/**
 * Makes Postgres match the records after the platform ended at any moment: drops invalid databases, unfinished work, what was removed from
 * the records, and roles without a record, keeps other databases that are not in the records for a while, allows connections that an
 * interrupted copy disallowed, and sets logins and passwords. A problem with one database does not affect the others.
 *
 * @param options.discardedIds ids of databases and backups whose removal the records contain.
 * @param options.acceptRecords keeps the databases that are not in the records, however many they are.
 * @param options.defersRepairs leaves the logins of each database, which take the most time, to the caller.
 * @throws ClusterError `cluster:databases_unrecorded` when so many databases are not in the records that these are probably wrong. Nothing
 *   is changed then.
 */
export const reconcile = async (
  services: ReconciliationServices,
  apiDatabases: readonly ApiDatabase[],
  {
    discardedIds,
    acceptRecords,
    defersRepairs = false,
  }: { discardedIds: readonly string[]; acceptRecords: boolean; defersRepairs?: boolean },
): Promise<Reconciliation> => {
  const { admin } = services;
  const { platformDatabaseCondition } = admin.cluster.installation;
  const problems: string[] = [];
  const runOrReport = createRunOrReport((problem) => void problems.push(problem));
  const databases = apiDatabases.map((database) => ({
    ...database,
    name: toDatabaseName(database.databaseId),
  }));
  const presentDatabases = await admin.query<PresentDatabase>(
    `select datname as name, datallowconn as "isOpen", not ${platformDatabaseCondition} as "isForeign" from pg_database d
      where not ${invalidDatabaseCondition} and (${platformDatabaseCondition} or datname = any ($1))`,
    [databases.map(({ name }) => name)],
  );
  const unrecorded = findUnrecordedDatabases(services, apiDatabases, presentDatabases, {
    discardedIds,
    acceptRecords,
  });
  await dropInvalidDatabases(services, runOrReport);
  for (const name of unrecorded.namesToDrop) await dropOrReport(runOrReport, services.copier, name);
  const retainedDatabases = new RetainedDatabases(admin, services.copier);
  for (const name of unrecorded.namesToKeep) {
    await runOrReport(
      `The Postgres database ${name}, which is not in the records, could not be renamed`,
      async () => void problems.push(formatRetainedMessage(name, await retainedDatabases.retain(name))),
    );
  }
  const presentByName = new Map(presentDatabases.map((database) => [database.name, database]));
  await restoreRecordedDatabases(retainedDatabases, { apiDatabases, presentByName, runOrReport });
  const retainedNames = await retainedDatabases.dropExpired(runOrReport, apiDatabases);
  const retainedParts = new Set(retainedNames.map(getLastPart));

  const existingDatabases = databases.flatMap((database) => {
    const { isOpen, isForeign } = presentByName.get(database.name) ?? {};
    return isOpen === undefined || isForeign === true ? [] : [{ ...database, isOpen }];
  });
  const ownersToKeep = [...existingDatabases.map(({ name }) => name), ...unrecorded.namesToKeep];
  await dropOrphanedOwners(services, new Set([...ownersToKeep, ...retainedParts]), runOrReport);
  const foreignDatabases = databases.filter(({ name }) => presentByName.get(name)?.isForeign === true);
  const alteredDatabases = existingDatabases.filter(
    ({ alteredConnections = [] }) => alteredConnections.length > 0,
  );
  for (const { alteredConnections = [] } of alteredDatabases)
    problems.push(...alteredConnections.map(({ problem }) => problem));
  for (const { name } of foreignDatabases) problems.push(new ForeignNameError(name).message);
  const absentDatabases = databases.filter(({ name }) => !presentByName.has(name));
  // A retained database is absent if its name could not be restored.
  const isRetained = (name: string): boolean => retainedParts.has(getLastPart(name));
  const retainedDatabasesOfRecords = absentDatabases.filter(({ name }) => isRetained(name));
  const brokenIds = [...foreignDatabases, ...retainedDatabasesOfRecords, ...alteredDatabases].map(
    ({ databaseId }) => databaseId,
  );
  const completeNames = admin.cluster.resetsPasswordsAtStart
    ? await services.logins.resetPasswords(existingDatabases.filter(({ isOpen }) => isOpen))
    : new Set<string>();
  const otherDatabases = existingDatabases.filter(({ name }) => !completeNames.has(name));
  const unrepairedIds = defersRepairs ? [] : await repairDatabases(services, otherDatabases, runOrReport);
  const isMissing = (name: string): boolean => !presentByName.has(name) && !isRetained(name);
  return {
    missingData: {
      databaseIds: databases.filter(({ name }) => isMissing(name)).map(({ databaseId }) => databaseId),
      backupIds: apiDatabases.flatMap(({ databaseId, backupIds }) =>
        backupIds.filter((backupId) => isMissing(toBackupName(databaseId, backupId))),
      ),
    },
    brokenIds: [...new Set([...brokenIds, ...unrepairedIds])],
    problems,
    preparedDatabases: await findPreparedDatabases(admin),
    pendingRepairs: defersRepairs ? otherDatabases : [],
  };
};

/** Repairs databases. Returns the ids of those for which that failed. */
const repairDatabases = async (
  services: ReconciliationServices,
  databases: readonly ExistingDatabase[],
  runOrReport: RunOrReport,
): Promise<string[]> => {
  const unrepairedIds: string[] = [];
  await Promise.all(
    databases.map(async (database) => {
      const { databaseId } = database;
      const isRepaired = await runOrReport(formatRepairProblem(databaseId), () =>
        repairDatabase(services, database),
      );
      if (!isRepaired) unrepairedIds.push(databaseId);
    }),
  );
  return unrepairedIds;
};

const formatRepairProblem = (databaseId: string): string =>
  `The database ${databaseId} could not be repaired`;

/**
 * Makes the logins of a database match the records, while other processes work. Call it when no other work does on this database.
 *
 * @param database as the records have it now.
 */
export const repairRecordedDatabase = async (
  services: ReconciliationServices,
  database: ApiDatabase,
): Promise<void> => {
  const { admin } = services;
  const name = toDatabaseName(database.databaseId);
  const [existingDatabase] = await admin.query<PresentDatabase>(
    `select datname as name, datallowconn as "isOpen", false as "isForeign" from pg_database d
      where datname = $1 and not ${invalidDatabaseCondition} and ${admin.cluster.installation.platformDatabaseCondition}`,
    [name],
  );
  if (existingDatabase !== undefined)
    await repairDatabase(services, { ...database, name, isOpen: existingDatabase.isOpen });
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

/**
 * Drops the unfinished prepared databases of servers that have stopped, while other servers work.
 *
 * @param listServerIds returns the ids of all servers that have not ended.
 */
export const dropAbandonedDatabases = async (
  { admin, copier }: Pick<ReconciliationServices, "admin" | "copier">,
  listServerIds: () => Promise<readonly string[]>,
  runOrReport: RunOrReport,
): Promise<void> => {
  const { platformDatabaseCondition, unfinishedPreparedNamePrefix } = admin.cluster.installation;
  const rows = await admin.query<{ name: string }>(
    `select datname as name from pg_database d where ${platformDatabaseCondition}
      and starts_with(datname, ${quoteLiteral(unfinishedPreparedNamePrefix)})`,
  );
  if (rows.length === 0) return;
  // Read after the names, because a server has an id before it makes databases.
  const serverIds = new Set(await listServerIds());
  for (const { name } of rows) {
    const [serverId = ""] = name.slice(unfinishedPreparedNamePrefix.length).split(".");
    if (!serverIds.has(serverId)) await dropOrReport(runOrReport, copier, name);
  }
};

const dropInvalidDatabases = async (
  { admin, copier }: ReconciliationServices,
  runOrReport: RunOrReport,
): Promise<void> => {
  const invalidDatabases = await admin.query<{ name: string }>(
    `select datname as name from pg_database d where ${invalidDatabaseCondition} and ${admin.cluster.installation.platformDatabaseCondition}`,
  );
  for (const { name } of invalidDatabases) {
    await runOrReport(`The remains of the Postgres database ${name} could not be dropped`, () =>
      copier.drop(name),
    );
  }
};

/** More databases than this number, or than this share of all, are not retained at one start: the records are probably wrong. */
const maxRetainedPerStart = { count: 10, share: 0.1 };

/**
 * Returns which databases of the installation are not in the records.
 *
 * @throws ClusterError `cluster:databases_unrecorded`.
 */
const findUnrecordedDatabases = (
  { admin }: ReconciliationServices,
  apiDatabases: readonly ApiDatabase[],
  presentDatabases: readonly PresentDatabase[],
  { discardedIds, acceptRecords }: { discardedIds: readonly string[]; acceptRecords: boolean },
): { namesToDrop: string[]; namesToKeep: string[] } => {
  const recordedNames = new Set(listRecordedNames(apiDatabases));
  const { unfinishedPreparedNamePrefix } = admin.cluster.installation;
  const ownNames = presentDatabases.filter(({ isForeign }) => !isForeign).map(({ name }) => name);
  const unfinishedNames = ownNames.filter(
    (name) => getDatabaseUse(name) === "temporary" || name.startsWith(unfinishedPreparedNamePrefix),
  );
  const contentNames = ownNames.filter((name) => ["database", "backup"].includes(getDatabaseUse(name)));
  const unrecordedNames = contentNames.filter((name) => !recordedNames.has(name));
  const discardedNames = new Set(discardedIds.map(toDatabaseName));
  // A database is discarded with its backups.
  const isDiscarded = (name: string): boolean => name.split(".").some((part) => discardedNames.has(part));
  const namesToKeep = unrecordedNames.filter((name) => !isDiscarded(name));
  const { count, share } = maxRetainedPerStart;
  const isRejected =
    namesToKeep.length > count || namesToKeep.length > Math.max(1, contentNames.length * share);
  if (isRejected && !acceptRecords)
    throw clusterErrors.databasesUnrecorded(namesToKeep.toSorted(), contentNames.length);
  return { namesToDrop: [...unfinishedNames, ...unrecordedNames.filter(isDiscarded)], namesToKeep };
};

/**
 * Restores retained databases and backups that are in the records, if nothing has their name. Adds them to the databases that exist.
 */
const restoreRecordedDatabases = async (
  retainedDatabases: RetainedDatabases,
  {
    apiDatabases,
    presentByName,
    runOrReport,
  }: {
    apiDatabases: readonly ApiDatabase[];
    presentByName: Map<string, PresentDatabase>;
    runOrReport: RunOrReport;
  },
): Promise<void> => {
  const retainedNames = [...presentByName.keys()].filter((name) => getDatabaseUse(name) === "retained");
  const recordedByLastPart = new Map(
    listRecordedNames(apiDatabases).map((name) => [getLastPart(name), name]),
  );
  // The latest one first.
  for (const retainedName of retainedNames.toSorted().toReversed()) {
    const name = recordedByLastPart.get(getLastPart(retainedName));
    const isRestored =
      name !== undefined &&
      !presentByName.has(name) &&
      (await runOrReport(`The Postgres database ${retainedName} could not be renamed`, () =>
        retainedDatabases.restore(retainedName, name),
      ));
    if (isRestored) presentByName.set(name, { name, isOpen: false, isForeign: false });
  }
};

/** Allows the logins of a database, and no one else, to connect. */
const repairDatabase = async (
  { admin, logins }: ReconciliationServices,
  { name, isOpen, credentials, alteredConnections = [] }: ExistingDatabase,
): Promise<void> => {
  const [role] = await admin.query<{ isJoined: boolean }>(
    `select pg_has_role(r.oid, 'usage') as "isJoined" from pg_roles r
      where rolname = $1 and ${admin.cluster.installation.platformRoleCondition}`,
    [name],
  );
  if (role === undefined) {
    await admin.runScript(
      joinRoleStatements(createRoleStatements(admin.cluster.installation, name, "nologin")),
    );
    await admin.runScriptAsOwner(name, [
      `alter database ${quoteIdentifier(name)} owner to ${quoteIdentifier(name)}`,
    ]);
  }
  if (!isOpen)
    await admin.runScriptAsOwner(name, [`alter database ${quoteIdentifier(name)} allow_connections true`]);
  if (role?.isJoined === true) await admin.memberships.leave([name]);
  await logins.dropAllLogins(
    name,
    [...credentials, ...alteredConnections].map(({ user }) => user),
  );
  for (const credential of credentials) await logins.grant(name, credential);
};

/** Drops owner roles whose database does not exist, and their logins, unless a retained backup has objects of theirs. */
const dropOrphanedOwners = async (
  { admin, roleRemover, logins }: ReconciliationServices,
  existingNames: ReadonlySet<string>,
  runOrReport: RunOrReport,
): Promise<void> => {
  const { retainedNamePrefix, platformRole, platformRoleCondition } = admin.cluster.installation;
  const owners = await admin.query<{ role: string }>(
    `select rolname as role from pg_roles r
      where not rolcanlogin and rolname <> $1 and ${platformRoleCondition}
        and not exists (select from pg_auth_members where member = r.oid)
        and not exists (select from pg_shdepend s join pg_database d on d.oid = s.dbid
          where s.refclassid = 'pg_authid'::regclass and s.refobjid = r.oid and starts_with(d.datname, ${quoteLiteral(retainedNamePrefix)}))`,
    [platformRole],
  );
  for (const { role } of owners) {
    if (existingNames.has(role)) continue;
    await runOrReport(`The role ${role} could not be dropped`, async () => {
      await logins.dropAllLogins(role);
      await roleRemover.dropRole(role, role);
    });
  }
};
