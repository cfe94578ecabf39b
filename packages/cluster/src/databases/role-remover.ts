import { DatabaseError } from "pg";
import {
  type AdminConnection,
  invalidDatabaseCondition,
  isLockTimeoutError,
  quoteIdentifier,
} from "../connection/admin-connection.js";
import { alterRole, terminateStartingSessions } from "../connection/role-sessions.js";
import { UnresponsiveSessionsError } from "../connection/unresponsive-sessions.js";
import type { Installation } from "../policy/installation.js";
import { getDatabaseUse, toTenantDatabaseName } from "../policy/names.js";
import { buildRoleCommentStatement } from "../policy/role-statements.js";
import { tenantStatements } from "../policy/tenant-statement.js";
import { isTooManyLocksError, RoleOwnership } from "./role-ownership.js";

/** Returns whether Postgres refused to drop a role that has objects or privileges (`dependent_objects_still_exist`). */
const isDependentObjectsError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "2BP01";

/** Drops roles with everything that depends on them. */
export class RoleRemover {
  readonly #admin: AdminConnection;
  readonly #installation: Installation;
  readonly #ownership: RoleOwnership;

  constructor(admin: AdminConnection) {
    this.#admin = admin;
    this.#installation = admin.cluster.installation;
    this.#ownership = new RoleOwnership(admin);
  }

  dropRole(role: string, owner: string): Promise<void> {
    return this.dropRoles([role], owner);
  }

  /**
   * Drops roles with their sessions and their privileges in the database of their owner, and gives their objects there to the owner. Other
   * tenants may have granted them privileges in their databases, where the platform runs nothing. Such a role remains, without a login and
   * a password, until these databases are dropped. So does a role that has a session which ignores its termination, a role that a session
   * of another tenant locks with a statement that Postgres cannot interrupt, and a role with so many objects that removing it would take
   * the locks of all databases.
   */
  async dropRoles(roles: readonly string[], owner: string): Promise<void> {
    if (roles.length === 0) return;
    await this.#admin.memberships.runWith([...roles, owner], () => this.#dropRolesAsOwner(roles, owner));
  }

  async #dropRolesAsOwner(roles: readonly string[], owner: string): Promise<void> {
    for (const role of roles) await alterRole(this.#admin, role, "nologin password null");
    // The owner role never logs in.
    const logins = roles.filter((role) => role !== owner);
    if (logins.length > 0) await terminateStartingSessions(this.#admin, logins);
    // Privileges on databases are revoked here.
    const sharedObjectsDatabase = this.#admin.cluster.maintenanceDatabase;
    const rolesWithSharedPrivileges: string[] = [];
    let mustRemain = false;
    for (const role of roles) {
      try {
        await this.#admin.terminateSessions("usename = $1", role);
        const databases = await this.#findDatabasesOfRole(role);
        if (databases.includes(sharedObjectsDatabase)) rolesWithSharedPrivileges.push(role);
        // A retained database must not change.
        const ownDatabases = databases.filter(
          (database) =>
            database !== sharedObjectsDatabase &&
            getDatabaseUse(database) !== "retained" &&
            toTenantDatabaseName(database) === owner,
        );
        for (const database of ownDatabases) await this.#removeRoleFrom(role, database, owner);
      } catch (error) {
        if (!(error instanceof UnresponsiveSessionsError) && !isTooManyLocksError(error)) throw error;
        mustRemain = true;
      }
    }
    if (mustRemain) return this.#retireRoles(roles);
    try {
      if (rolesWithSharedPrivileges.length > 0) {
        await this.#admin.runScriptIn(
          sharedObjectsDatabase,
          rolesWithSharedPrivileges.map(tenantStatements.dropOwned),
        );
      }
      await this.#admin.tryScript([`drop role ${roles.map(quoteIdentifier).join(", ")}`]);
    } catch (error) {
      if (!isDependentObjectsError(error) && !isLockTimeoutError(error)) throw error;
      await this.#retireRoles(roles);
      if (roles.length > 1) await this.dropRetiredRoles();
    }
  }

  async #retireRoles(roles: readonly string[]): Promise<void> {
    for (const role of roles) {
      const [groups, settingTargets] = [await this.#findGroups(role), await this.#findSettingTargets(role)];
      await this.#admin.runScript([
        ...settingTargets.map((target) => `alter ${target} reset all`),
        ...groups.map((group) => `revoke ${quoteIdentifier(group)} from ${quoteIdentifier(role)}`),
        buildRoleCommentStatement(role, this.#installation.retiredRoleComment),
      ]);
    }
  }

  /** Drops the roles that remained because of sessions, locks, or privileges in databases that no longer exist. */
  async dropRetiredRoles(): Promise<void> {
    const roles = await this.#admin.query<{ name: string }>(
      `select rolname as name from pg_roles r where ${this.#installation.retiredRoleCondition}
        and not exists (select from pg_stat_activity where usesysid = r.oid)
        and not exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = r.oid)
        and not exists (select from pg_locks where locktype = 'object' and classid = 'pg_authid'::regclass and objid = r.oid)`,
    );
    for (const { name } of roles) {
      try {
        await this.#admin.tryScript([`drop role if exists ${quoteIdentifier(name)}`]);
      } catch (error) {
        // A tenant has just locked it, or granted it something.
        if (!isDependentObjectsError(error) && !isLockTimeoutError(error)) throw error;
      }
    }
  }

  async #removeRoleFrom(role: string, database: string, owner: string): Promise<void> {
    const [row] = await this.#admin.query<{ isOpen: boolean }>(
      'select datallowconn as "isOpen" from pg_database where datname = $1',
      [database],
    );
    // A backup does not allow connections, and a tenant may have closed its database.
    if (row?.isOpen !== false) return this.#transferEndingBlockers(database, role, owner);
    await this.#admin.runScript([`alter database ${quoteIdentifier(database)} allow_connections true`]);
    try {
      await this.#ownership.transferObjects(database, [role], owner);
    } finally {
      await this.#admin.runScript([`alter database ${quoteIdentifier(database)} allow_connections false`]);
    }
  }

  /** Terminates all sessions of the database if one of them keeps a lock although it was asked to terminate. */
  async #transferEndingBlockers(database: string, role: string, owner: string): Promise<void> {
    try {
      await this.#ownership.transferObjects(database, [role], owner);
    } catch (error) {
      if (!isLockTimeoutError(error)) throw error;
      await this.#admin.terminateSessions("datname = $1", database);
      await this.#ownership.transferObjects(database, [role], owner);
    }
  }

  async #findGroups(role: string): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      `select o.rolname as name from pg_auth_members m
        join pg_roles r on r.oid = m.member join pg_roles o on o.oid = m.roleid where r.rolname = $1`,
      [role],
    );
    return rows.map(({ name }) => name);
  }

  /** Returns the targets of `ALTER … RESET ALL` that remove all stored settings of a role: the role, and the role in each database. */
  async #findSettingTargets(role: string): Promise<string[]> {
    const rows = await this.#admin.query<{ target: string }>(
      `select format('role %I', r.rolname) || case when d.oid is null then '' else format(' in database %I', d.datname) end as target
        from pg_db_role_setting s
        join pg_roles r on r.oid = s.setrole
        left join pg_database d on d.oid = s.setdatabase
        where r.rolname = $1`,
      [role],
    );
    return rows.map(({ target }) => target);
  }

  /**
   * Returns the databases with objects or privileges of the role; the maintenance database for privileges on databases. Leaves out
   * databases that only wait until they can be dropped.
   */
  async #findDatabasesOfRole(role: string): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      `select distinct coalesce(b.datname, current_database()) as name
        from pg_shdepend d
        left join pg_database b on b.oid = d.dbid
        where d.refclassid = 'pg_authid'::regclass
          and d.refobjid = (select oid from pg_roles where rolname = $1)
          and not coalesce(b.${invalidDatabaseCondition}, false)
          and d.classid <> 'pg_auth_members'::regclass`,
      [role],
    );
    return rows.map(({ name }) => name);
  }
}
