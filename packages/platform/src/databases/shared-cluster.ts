import { platformErrors } from "../platform-error.js";
import { type Admin, identifier } from "./admin.js";
import { createRole, isOurs, platformRole } from "./ownership.js";

/** What the role of the platform may do. */
interface Privileges {
  user: string;
  createsDatabases: boolean;
  createsRoles: boolean;
  inherits: boolean;
  endsSessions: boolean;
  /** Null when `platformRole` does not exist. */
  ownsPlatformRole: boolean | null;
  setsLogLevel: boolean;
  /** Names of databases of others to which tenants may connect, because everybody may. */
  open: string[];
}

/**
 * Prepares a cluster that others also use, in which the platform is not a superuser. Changes nothing that others have made.
 *
 * @returns messages about what an administrator of the cluster should change.
 * @throws PlatformError `platform:postgres_failed` when the role of the platform lacks privileges.
 */
export const joinCluster = async (admin: Admin, major: number): Promise<string[]> => {
  // Before version 15, only a superuser could set it.
  const setsLogLevel = major >= 15 ? "has_parameter_privilege('log_min_messages', 'set')" : "false";
  const [found] = await admin.query<Privileges>(
    `select rolname as user, rolcreatedb as "createsDatabases", rolcreaterole as "createsRoles", rolinherit as inherits,
        pg_has_role('pg_signal_backend', 'usage') as "endsSessions",
        (select pg_has_role(r.oid, 'usage') from pg_roles r where rolname = $1) as "ownsPlatformRole",
        ${setsLogLevel} as "setsLogLevel",
        array(select datname::text from pg_database d
          where datallowconn and not (${isOurs}) and has_database_privilege('public', d.oid, 'connect') order by 1) as open
      from pg_roles where rolname = current_user`,
    [platformRole],
  );
  if (found === undefined) throw new Error("Postgres did not return the role of the session");
  const missing = [
    ...(found.createsDatabases ? [] : ["CREATEDB"]),
    ...(found.createsRoles ? [] : ["CREATEROLE"]),
    ...(found.inherits ? [] : ["INHERIT"]),
    ...(found.endsSessions ? [] : ["membership in pg_signal_backend"]),
    ...(found.ownsPlatformRole === false ? [`membership in ${platformRole}`] : []),
  ];
  if (missing.length > 0) throw platformErrors.roleLacksPrivileges(found.user, missing);
  if (found.ownsPlatformRole === null) await admin.script(createRole(admin, platformRole, "nologin"));
  return [
    ...(found.setsLogLevel ? [] : [tenantsFillLog(found.user)]),
    ...(found.open.length === 0 ? [] : [tenantsMayConnect(found.open)]),
  ];
};

const tenantsFillLog = (user: string): string =>
  `Tenants can write messages to the log of Postgres. To prevent it, run: GRANT SET ON PARAMETER log_min_messages TO ${identifier(user)}`;

const tenantsMayConnect = (databases: readonly string[]): string =>
  "Tenants can connect to databases of others. To prevent it, run: " +
  `REVOKE CONNECT ON DATABASE ${databases.map(identifier).join(", ")} FROM PUBLIC`;
