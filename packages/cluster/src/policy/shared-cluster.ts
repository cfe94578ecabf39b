import { DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
import type { DatabaseAddress } from "./address.js";
import { clusterErrors } from "./cluster-error.js";
import { type ServerLimits, connectionLimits } from "./connection-limits.js";
import {
  type Cluster,
  type MembershipStatements,
  type StatementRunner,
  runningSessionCondition,
} from "./cluster.js";
import { type TenantStatement, tenantStatements } from "./tenant-statement.js";
import type { Installation } from "./installation.js";
import { createRoleStatements, joinRoleStatements } from "./role-statements.js";

/** Postgres itself ends autovacuum workers, which have no role. */
const sessionTerminationQuery = `
  select pid, datname as database, r.rolname as role, state is null as "isHidden", case when r.rolsuper then null else pg_terminate_backend(pid) end as "isTerminated", ${runningSessionCondition} as "isRunning"
  from pg_stat_activity join pg_roles r on r.oid = usesysid
  where pid <> pg_backend_pid()`;

const buildHeldLocksQuery = ({ platformRoleCondition }: Installation): string => `
  select a.datid as database, a.pid, count(*)::integer as locks
  from pg_lock_status() l join pg_stat_get_activity(null) a on a.pid = l.pid
  join pg_roles r on r.oid = a.usesysid and ${platformRoleCondition}
  where a.datid is not null
  group by 1, 2`;

/** SQLSTATEs of `insufficient_privilege` and `too_many_connections`. */
const connectRejectionCodes: ReadonlySet<string | undefined> = new Set(["42501", "53300"]);

/**
 * Returns a cluster that others also use.
 *
 * @param address the address of a role with CREATEDB, CREATEROLE, and membership in `pg_signal_backend`, and the database of the records.
 */
export const createSharedCluster = (
  address: DatabaseAddress,
  major: number,
  installation: Installation,
): Cluster => {
  return {
    address,
    installation,
    maintenanceDatabase: address.database,
    major,
    sessionTerminationQuery,
    heldLocksQuery: buildHeldLocksQuery(installation),
    privilegedOptions: "",
    // No statements: only a superuser can let a role see the sessions of one database alone.
    databaseSetupStatements: [],
    // The processes may be on another machine.
    readProcessTitles: () => Promise.resolve(new Map()),
    canVacuumSharedCatalogs: false,
    canReadPasswords: false,
    canForceDrop: false,
    resetsPasswordsAtStart: false,
    isConnectRejection: (error) => error instanceof DatabaseError && connectRejectionCodes.has(error.code),
    findLostPrivileges: async (statements, rejection) => {
      const privileges = await readPrivileges(statements, installation, major);
      const missing = findMissingPrivileges(privileges, installation.platformRole);
      return missing.length === 0
        ? undefined
        : clusterErrors.roleLacksPrivileges(privileges.user, missing, rejection);
    },
    memberships: createMembershipStatements(installation),
    buildAllowOwningStatements,
    ignorePrivilegeErrors: (statement) =>
      `do ${escapeLiteral(`begin ${statement}; exception when insufficient_privilege then null; end`)}`,
    terminateSessions: async (pids, query) => {
      await query("select pg_terminate_backend(pid) from unnest($1::integer[]) pid", [pids]);
    },
    killProcesses: undefined,
    readLimits: async (statements) => computeLimits(await readSettings(statements, major)),
    prepare: (statements) => prepareSharedCluster(statements, installation, major),
  };
};

/**
 * A privilege that the platform keeps has a price: Postgres looks at all memberships of a role again after each change of any role. So it
 * keeps only its own role.
 */
const createMembershipStatements = ({ platformRoleCondition }: Installation): MembershipStatements => {
  const forEachRole = (roles: readonly string[], condition: string, statement: string): string =>
    `do ${escapeLiteral(`declare role name; begin
      for role in select r.rolname from pg_roles r
        where r.rolname in (${roles.map(escapeLiteral).join(", ")}) and ${platformRoleCondition} and ${condition}
      loop execute format('${statement}', role); end loop;
    end`)}`;
  return {
    join: (roles) => forEachRole(roles, "true", "grant %I to current_user"),
    leave: (roles) => forEachRole(roles, "pg_has_role(r.oid, 'usage')", "revoke %I from current_user"),
  };
};

/** Settings of the server, and what its extensions allow tenants to do. */
interface ServerSettings {
  /** Connections that any role may use. */
  connections: number;
  /** Connections that members of `pg_use_reserved_connections` may use besides. */
  reserved: number;
  preparedTransactions: number;
  /** Maximum number of locks. */
  locks: number;
  /** Names of languages that the owner of a database can add. */
  languages: string[];
}

const readSettings = async (statements: StatementRunner, major: number): Promise<ServerSettings> => {
  const reserved =
    major >= 16
      ? "case when pg_has_role('pg_use_reserved_connections', 'usage') then current_setting('reserved_connections')::integer else 0 end"
      : "0";
  const [settings] = await statements.query<ServerSettings>(
    `select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
          - ${major >= 16 ? "current_setting('reserved_connections')::integer" : "0"} as connections,
        ${reserved} as reserved,
        current_setting('max_prepared_transactions')::integer as "preparedTransactions",
        current_setting('max_locks_per_transaction')::integer
          * (current_setting('max_connections')::integer + current_setting('max_prepared_transactions')::integer) as locks,
        array(select distinct name::text from pg_available_extension_versions
          where trusted and starts_with(name, 'pl') and not starts_with(name, 'plpgsql') order by 1) as languages`,
  );
  if (settings === undefined) throw new Error("Postgres did not return its settings");
  return settings;
};

/** Tenants get the connections that the platform does not need. One database gets at most half of them. */
const computeLimits = ({ connections, reserved, locks }: ServerSettings): ServerLimits => {
  const missingConnections = Math.max(0, connectionLimits.reserved - reserved);
  const available = Math.min(connectionLimits.total, Math.max(2, connections - missingConnections));
  return {
    connectionsPerDatabase: Math.min(connectionLimits.perDatabase, Math.floor(available / 2)),
    connections: available,
    locks: Math.floor(locks / 2),
  };
};

/** A change that an administrator of a cluster should make, and the SQL for it, if there is any. */
export interface ClusterAdvice {
  readonly problem: string;
  readonly statement: string | undefined;
}

/** Returns advice about settings with which tenants can keep the platform from working. */
const listSettingsAdvice = (user: string, settings: ServerSettings, major: number): ClusterAdvice[] => {
  const { reserved, preparedTransactions, languages } = settings;
  const reservedText = String(connectionLimits.reserved);
  const advice: (ClusterAdvice | false)[] = [
    reserved < connectionLimits.reserved &&
      major >= 16 && {
        problem: `The platform has no connections that database users cannot take, unless reserved_connections is ${reservedText}`,
        statement: `GRANT pg_use_reserved_connections TO ${escapeIdentifier(user)}`,
      },
    preparedTransactions > 0 && {
      problem:
        "Database users can keep locks without a session, which the platform cannot end. To prevent it, set max_prepared_transactions to 0",
      statement: undefined,
    },
    languages.length > 0 && {
      problem: `Database users can write functions that do not end when their session is ended. To prevent it, remove these languages from the machine of Postgres: ${languages.join(", ")}`,
      statement: undefined,
    },
  ];
  return advice.filter((entry) => entry !== false);
};

/** Postgres changes the owner of an object only to a role that may create one in its place. */
const buildAllowOwningStatements = (database: string, owner: string): TenantStatement[] => [
  tenantStatements.grantCreate(database, owner),
  tenantStatements.grantCreateInSchemas(owner),
];

/** The privileges of the role of the platform. */
interface Privileges {
  user: string;
  createsDatabases: boolean;
  createsRoles: boolean;
  inherits: boolean;
  canTerminateSessions: boolean;
  /** It is null when the role of the installation does not exist. */
  ownsPlatformRole: boolean | null;
  /** The roles of other installations that have the same login. */
  otherPlatformRoles: string[];
  setsLogLevel: boolean;
  /** Names of databases of others to which tenants may connect, because everyone may. */
  open: string[];
}

/** The requirements that a shared cluster does not meet. */
export interface ClusterInspection {
  /** Without these, the platform does not work. Each has a statement. */
  readonly missing: readonly (ClusterAdvice & { readonly statement: string })[];
  readonly advice: readonly ClusterAdvice[];
  /** The limits for all databases of tenants together. */
  readonly limits: ServerLimits;
}

/** Returns the changes that an administrator has to make for the platform. Makes none itself. */
export const inspectSharedCluster = async (
  statements: StatementRunner,
  installation: Installation | undefined,
  major: number,
): Promise<ClusterInspection> => {
  const privileges = await readPrivileges(statements, installation, major);
  const settings = await readSettings(statements, major);
  return {
    missing: findMissingPrivileges(privileges, installation?.platformRole),
    advice: listAdvice(privileges, settings, major),
    limits: computeLimits(settings),
  };
};

const readPrivileges = async (
  statements: Pick<StatementRunner, "query">,
  installation: Installation | undefined,
  major: number,
): Promise<Privileges> => {
  // Before version 15, only a superuser could set it.
  const setsLogLevel = major >= 15 ? "has_parameter_privilege('log_min_messages', 'set')" : "false";
  const [privileges] = await statements.query<Privileges>(
    `select rolname as user, rolcreatedb as "createsDatabases", rolcreaterole as "createsRoles", rolinherit as inherits,
        pg_has_role('pg_signal_backend', 'usage') as "canTerminateSessions",
        (select pg_has_role(r.oid, 'usage') from pg_roles r where rolname = $1) as "ownsPlatformRole",
        array(select rolname::text from pg_roles r
          where rolname ~ '^mgmt[.][0-9a-f]{16}$' and rolname <> $1 and pg_has_role(r.oid, 'usage') order by 1) as "otherPlatformRoles",
        ${setsLogLevel} as "setsLogLevel",
        array(select datname::text from pg_database d
          where datallowconn and not (${installation?.platformDatabaseCondition ?? "false"}) and has_database_privilege('public', d.oid, 'connect') order by 1) as open
      from pg_roles where rolname = current_user`,
    [installation?.platformRole ?? ""],
  );
  if (privileges === undefined) throw new Error("Postgres did not return the role of the session");
  return privileges;
};

const findMissingPrivileges = (
  { user, createsDatabases, createsRoles, inherits, canTerminateSessions, ownsPlatformRole }: Privileges,
  platformRole = "",
): ClusterInspection["missing"] => {
  const role = escapeIdentifier(user);
  const alter = (attribute: string): { problem: string; statement: string } => ({
    problem: attribute,
    statement: `ALTER ROLE ${role} ${attribute}`,
  });
  const join = (group: string): { problem: string; statement: string } => ({
    problem: `membership in ${group}`,
    statement: `GRANT ${escapeIdentifier(group)} TO ${role}`,
  });
  return [
    ...(createsDatabases ? [] : [alter("CREATEDB")]),
    ...(createsRoles ? [] : [alter("CREATEROLE")]),
    ...(inherits ? [] : [alter("INHERIT")]),
    ...(canTerminateSessions ? [] : [join("pg_signal_backend")]),
    ...(ownsPlatformRole === false ? [join(platformRole)] : []),
  ];
};

/** Returns advice about privileges that the platform lacks, and about settings of the server. */
const listAdvice = (privileges: Privileges, settings: ServerSettings, major: number): ClusterAdvice[] => [
  ...(privileges.setsLogLevel
    ? []
    : [
        {
          problem: "Database users can write messages to the log of Postgres",
          statement:
            major >= 15
              ? `GRANT SET ON PARAMETER log_min_messages TO ${escapeIdentifier(privileges.user)}`
              : undefined,
        },
      ]),
  ...(privileges.open.length === 0
    ? []
    : [
        {
          problem: "Database users can connect to databases of others",
          statement: `REVOKE CONNECT ON DATABASE ${privileges.open.map(escapeIdentifier).join(", ")} FROM PUBLIC`,
        },
      ]),
  ...listSettingsAdvice(privileges.user, settings, major),
];

/** Checks the privileges of the platform, and makes its role. Changes nothing that others have made. */
const prepareSharedCluster = async (
  statements: StatementRunner,
  installation: Installation,
  major: number,
): Promise<string[]> => {
  const { platformRole } = installation;
  const privileges = await readPrivileges(statements, installation, major);
  const missing = findMissingPrivileges(privileges, platformRole);
  if (missing.length > 0) throw clusterErrors.roleLacksPrivileges(privileges.user, missing);
  if (privileges.ownsPlatformRole === null && privileges.otherPlatformRoles.length > 0)
    throw clusterErrors.otherInstallation(privileges.user, privileges.otherPlatformRoles);
  if (privileges.ownsPlatformRole === null)
    await statements.runScript([
      ...joinRoleStatements(createRoleStatements(installation, platformRole, "nologin")),
      `grant ${escapeIdentifier(platformRole)} to current_user`,
    ]);
  return listAdvice(privileges, await readSettings(statements, major), major).map(formatAdvice);
};

const formatAdvice = ({ problem, statement }: ClusterAdvice): string =>
  statement === undefined ? problem : `${problem}. To prevent it, run: ${statement}`;
