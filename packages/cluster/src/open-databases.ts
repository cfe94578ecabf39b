import { deriveScramVerifier } from "./connection/scram.js";
import type { Cluster } from "./policy/cluster.js";
import { AdminConnection, quoteIdentifier, quoteLiteral } from "./connection/admin-connection.js";
import { DatabaseCopier } from "./databases/database-copier.js";
import { RoleRemover } from "./databases/role-remover.js";
import { createRunOrReport } from "./connection/run-or-report.js";
import { RetainedDatabases } from "./repair/retained-databases.js";
import { TerminationReasons } from "./connection/termination-reasons.js";
import { Logins } from "./logins/logins.js";
import { createRoleStatements, joinRoleStatements } from "./policy/role-statements.js";
import { PostgresDatabases } from "./postgres-databases.js";
import { checkStamp, stampStart } from "./repair/start-stamp.js";
import {
  type MissingData,
  type ApiDatabase,
  dropAbandonedDatabases,
  repairRecordedDatabase,
  findPreparedDatabases,
  reconcile,
} from "./repair/reconcile.js";
import { buildStoreInstallationStatement } from "./rows/migrate.js";
import { terminateServerSessions } from "./rows/server-registry.js";
import type { PostgresSessions } from "./rows/postgres-sessions.js";
import { recordsSchema } from "./rows/records-location.js";
import { Quarantine } from "./connection/quarantine.js";
import { PeriodicRepairer } from "./repair/periodic-repairer.js";
import { PreparedDatabases } from "./databases/prepared-databases.js";
import { openGuards } from "./guard/open-guards.js";
import type { TenantLimits } from "./guard/tenant-guard.js";
import type { ReadWorkspaces } from "./guard/workspaces.js";

/** The databases of an installation, and their background work, which ends when it is closed. */
export interface OpenDatabases {
  engine: PostgresDatabases;
  /** Databases and backups that are recorded but not in Postgres. */
  missingData: MissingData;
  /** Ids of databases that exist but could not be made to match their records. */
  brokenIds: string[];
  /** Messages about work that failed. */
  problems: string[];
  /** Returns how many databases are closed now because they have used too much. */
  countClosed(): number;
  /** Terminates the sessions of another server process in the cluster. */
  terminateSessionsOf(serverId: string): Promise<void>;
  /** Closes the platform's own connections. */
  close(): Promise<void>;
}

/**
 * Other processes that work on the same databases. Only a process that starts when no other works reconciles them, and it repairs their
 * logins after the start, while requests are answered.
 */
export interface OtherProcesses {
  /** Keep the work of processes apart. */
  readonly sessions: Pick<PostgresSessions, "enter" | "runExclusively">;
  /** Returns the ids of all servers that have not ended, as `Cluster.address` has them. */
  readonly listServerIds: () => Promise<readonly string[]>;
}

export interface DatabasesOptions extends Partial<TenantLimits> {
  /** The other processes that work on the databases. Default: there are none. */
  others?: OtherProcesses;
  /** Limits apply to all databases of a workspace together. Default: each database has a workspace of its own. */
  readWorkspaces?: ReadWorkspaces;
  /**
   * The schema with the records, in the database of the platform's sessions, if they are there. Records that do not fit the cluster are
   * rejected then.
   */
  schema?: string;
  /**
   * Whether to use records that are outdated, were moved, or do not contain many of the databases, which are kept then. Default: they are
   * rejected.
   */
  acceptRecords?: boolean;
  /** Returns the ids of databases and backups whose removal the records contain. Default: none. */
  findDiscardedIds?: () => Promise<readonly string[]>;
  /**
   * Reads the databases in the records again: those with these ids, or all. Default: the names from the start, which are in the records
   * until the process exits.
   */
  readApiDatabases?: (ids?: readonly string[]) => Promise<readonly ApiDatabase[]>;
  /** On the disk of Postgres, for messages. Default: unknown. */
  directory?: string;
  /** Receives log messages. Default: they are discarded. */
  onLog?: (line: string) => void;
}

/** Interval between checks for databases whose retention has expired, in milliseconds. */
const retainedCheckIntervalMs = 6 * 3_600_000;

const noMissingData: MissingData = { databaseIds: [], backupIds: [] };

/** Number of prepared databases: enough for a small burst of requests. Each takes 8 MB. */
const targetPreparedCount = 3;

/**
 * Secures a new cluster: sets a new password for the superuser, revokes everyone's access to existing databases, and turns
 * `template1`, which the platform does not use, into the first prepared database. Stores the keys of the installation in the records.
 */
export const initializeCluster = async (cluster: Cluster, newPassword: string): Promise<void> => {
  const admin = new AdminConnection(cluster);
  const { keys, preparedNamePrefix, platformRole } = cluster.installation;
  const firstPreparedName = quoteIdentifier(`${preparedNamePrefix}first`);
  try {
    const verifier = quoteLiteral(await deriveScramVerifier(newPassword));
    await admin.runScriptIn("template1", cluster.databaseSetupStatements);
    await admin.runWhenUnused("template1", () =>
      admin.runScript([
        "comment on database template1 is null",
        "alter database template1 is_template false",
        `alter database template1 rename to ${firstPreparedName}`,
        `alter database ${firstPreparedName} allow_connections false`,
        `revoke all on database ${firstPreparedName}, postgres, template0 from public`,
        buildStoreInstallationStatement(recordsSchema, keys),
        ...joinRoleStatements(createRoleStatements(cluster.installation, platformRole, "nologin")),
        `alter database ${firstPreparedName} owner to ${quoteIdentifier(platformRole)}`,
        `alter role ${quoteIdentifier(cluster.address.user)} password ${verifier}`,
      ]),
    );
  } finally {
    await admin.close();
  }
};

/**
 * Reconciles the databases of a cluster with the records, and returns the engine that manages them.
 *
 * @throws ClusterError when the records do not fit the cluster, or privileges are missing. Nothing is changed then.
 * @param cluster one that was claimed, or one that others also use.
 * @param limits the limits of all databases together. Default: limits that fit the settings of the server.
 */
export const openDatabases = async (
  cluster: Cluster,
  apiDatabases: readonly ApiDatabase[] | ((ids?: readonly string[]) => Promise<readonly ApiDatabase[]>),
  {
    readApiDatabases = typeof apiDatabases === "function"
      ? apiDatabases
      : () => Promise.resolve(apiDatabases),
    others,
    readWorkspaces,
    directory,
    schema,
    acceptRecords = false,
    findDiscardedIds = () => Promise.resolve([]),
    onLog = () => undefined,
    ...limits
  }: DatabasesOptions = {},
): Promise<OpenDatabases> => {
  const admin = new AdminConnection(cluster);
  const copier = new DatabaseCopier(admin, { onLog });
  const roleRemover = new RoleRemover(admin);
  const logins = new Logins(admin, roleRemover);
  const terminationReasons = new TerminationReasons();
  const quarantine = new Quarantine(admin, terminationReasons, onLog);
  try {
    admin.limits = await cluster.readLimits(admin);
    const reconcileAll = async () => {
      const databases = typeof apiDatabases === "function" ? await apiDatabases() : apiDatabases;
      if (schema !== undefined) await checkStamp(admin, schema, acceptRecords);
      const preparationProblems = await cluster.prepare(admin);
      const result = await reconcile({ admin, copier, roleRemover, logins }, databases, {
        discardedIds: await findDiscardedIds(),
        acceptRecords,
        defersRepairs: others !== undefined,
      });
      if (schema !== undefined) await stampStart(admin, schema);
      return {
        ...result,
        problems: [...preparationProblems, ...result.problems],
        isEmpty: databases.length === 0,
      };
    };
    // Must not repair a database on which another process is working. Processes repeat the unfinished jobs of one that has exited.
    const reconciliation = await (others === undefined
      ? reconcileAll()
      : others.sessions.enter(reconcileAll));
    const { missingData = noMissingData, brokenIds = [], problems = [] } = reconciliation ?? {};
    const preparedNames = reconciliation?.preparedDatabases ?? (await findPreparedDatabases(admin));
    const retainedDatabases = new RetainedDatabases(admin, copier);
    const dropExpired = async (): Promise<void> => {
      await retainedDatabases.dropExpired(createRunOrReport(onLog), await readApiDatabases());
    };
    const retainedTimer = setInterval(
      // The next check retries a failed step.
      () => void dropExpired().catch(() => undefined),
      retainedCheckIntervalMs,
    ).unref();
    const guards = openGuards(admin, limits, { report: onLog, terminationReasons, readWorkspaces });
    // No one can connect to databases that do not exist yet.
    if (reconciliation?.isEmpty !== true) await guards.applied;
    const preparedDatabases = new PreparedDatabases(
      copier,
      targetPreparedCount,
      preparedNames,
      onLog,
      cluster.address.server?.id,
    );
    const engine = new PostgresDatabases({
      ...{
        admin,
        copier,
        roleRemover,
        logins,
        preparedDatabases,
        terminationReasons,
        quarantine,
        onLog,
        directory,
      },
      sessions: others?.sessions,
    });
    const readDatabase = async (id: string): Promise<ApiDatabase | undefined> =>
      (await readApiDatabases([id])).find(({ databaseId }) => databaseId === id);
    const repair = (database: ApiDatabase): Promise<void> =>
      repairRecordedDatabase({ admin, copier, roleRemover, logins }, database);
    if (others !== undefined)
      logins.restoreLogins = async (owner) => {
        const database = await readDatabase(owner);
        if (database !== undefined) await repair(database);
      };
    const periodicRepairer =
      others &&
      new PeriodicRepairer({
        ...{ sessions: others.sessions, onLog },
        pendingIds: reconciliation?.pendingRepairs.map(({ databaseId }) => databaseId) ?? [],
        ...{ readDatabase, repair },
        cleanUp: async () => {
          await dropAbandonedDatabases({ admin, copier }, others.listServerIds, createRunOrReport(onLog));
          engine.scheduleRepair();
        },
      });
    return {
      engine,
      missingData,
      brokenIds,
      problems,
      countClosed: () => guards.countClosed(),
      terminateSessionsOf: (serverId) =>
        terminateServerSessions((text, values) => admin.query(text, values), serverId),
      close: async () => {
        clearInterval(retainedTimer);
        await periodicRepairer?.close();
        await guards.close();
        await engine.close();
        await preparedDatabases.close();
        await admin.close();
      },
    };
  } catch (error) {
    await quarantine.close();
    await logins.close();
    await admin.close();
    throw error;
  }
};
