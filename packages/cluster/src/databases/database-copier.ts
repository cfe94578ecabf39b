import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseError } from "pg";
import {
  type AdminConnection,
  quoteIdentifier,
  isDatabaseInUseError,
  invalidDatabaseCondition,
  isLockTimeoutError,
} from "../connection/admin-connection.js";
import { FairSemaphore } from "@mgmt/engine/internal";
import { toUnavailableError } from "../connection/unavailable.js";
import { clusterErrors } from "../policy/cluster-error.js";
import { classifyName, toTenantDatabaseName } from "../policy/names.js";
import type { Installation } from "../policy/installation.js";
import { buildMarkRoleStatement } from "../policy/ownership.js";
import { UnresponsiveSessionsError } from "../connection/unresponsive-sessions.js";
import { alterRole, endStartingSessions } from "../connection/role-sessions.js";
import { type TenantStatement, tenantStatements } from "../policy/tenant-statement.js";
import {
  type CopySource,
  buildCopyStrategy,
  buildEmptyStrategy,
  mustCheckpointFirst,
} from "./copy-strategy.js";
import { buildSettingStatement } from "./settings.js";

/** How long `DROP DATABASE` waits for sessions to react, in milliseconds, and the time between looks. */
const stallTimeoutMs = 750;
const stallCheckIntervalMs = 250;

/** How many locks a transaction may take, as a share of the locks of all tenants: while several copies run, and while one runs. */
const lockShares = { several: 0.1, one: 0.6 };

/** About how many locks a change of the owner of a table takes: with its indexes, its sequences, and its TOAST table. */
const locksPerTable = 8;

/** After a stall, how long others count on it, in milliseconds: they wait for one look only. */
const stallMemoryMs = 5_000;

/** The reason for canceling `DROP DATABASE`. */
const stallError = new Error("A session does not react to signals");

/** Returns whether Postgres refused to drop a role that has objects or privileges (`dependent_objects_still_exist`). */
const isDependentObjectsError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "2BP01";

/** Returns whether Postgres refused a new database because another statement has just created it. */
const isDuplicateDatabaseError = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === "42P04" || error.code === "23505");

/** Returns whether a transaction would take too many locks (`program_limit_exceeded`). */
const isTooManyLocksError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "54000";

/** Settings that are stored for a database. */
interface StoredSettings {
  /** The role to which they apply; null when they apply to all. */
  role: string | null;
  /** It is null when only the other database has settings for this role. */
  settings: string[] | null;
}

/** Copies and drops whole databases, and drops roles with everything that depends on them. */
export class DatabaseCopier {
  readonly installation: Installation;
  readonly #admin: AdminConnection;
  readonly #onLog: ((line: string) => void) | undefined;
  /** Closes a database for its clients while it does the work. */
  closeWhile: (database: string, work: () => Promise<void>) => Promise<void> = (_, work) => work();
  /** Returns whether a database must not allow connections after a copy. */
  mustStayClosed: (database: string) => boolean = () => false;
  #onStall: (() => void) | undefined;
  readonly #manyLocksSemaphore = new FairSemaphore({ maxTotal: 1 });
  /** When a session did not react the last time: a time of `performance.now()`. */
  #stalledAt = -Infinity;

  /** Is called when a database could not be dropped, and is invalid: immediately if that has happened before. */
  set onStall(onStall: () => void) {
    this.#onStall = onStall;
    if (this.#stalledAt !== -Infinity) onStall();
  }

  /** @param onLog receives messages about settings that could not be copied. */
  constructor(admin: AdminConnection, onLog?: (line: string) => void) {
    this.#admin = admin;
    this.installation = admin.cluster.installation;
    this.#onLog = onLog;
  }

  /**
   * Creates an empty database that does not allow connections, and gives it its name when it is complete. Connects to it once before,
   * because the first session in a database caches the catalogs of Postgres in a file for the others. The database keeps it when it is
   * renamed.
   */
  async createEmpty(unfinishedName: string, name: string): Promise<void> {
    const [settings] = await this.#admin.query<{ version: number; fsync: boolean }>(
      "select current_setting('server_version_num')::integer as version, current_setting('fsync')::boolean as fsync",
    );
    if (settings === undefined) throw new Error("Postgres did not return its settings");
    await this.#createCopy("template0", unfinishedName, buildEmptyStrategy(settings));
    await this.#admin.runScript([`alter database ${quoteIdentifier(unfinishedName)} allow_connections true`]);
    await this.#admin.runScriptIn(unfinishedName, [
      tenantStatements.nothing(),
      ...this.#admin.cluster.databaseSetupStatements,
    ]);
    await this.#admin.runWhenUnused(unfinishedName, () =>
      this.#admin.runScript([
        `alter database ${quoteIdentifier(unfinishedName)} allow_connections false`,
        `alter database ${quoteIdentifier(unfinishedName)} rename to ${quoteIdentifier(name)}`,
      ]),
    );
  }

  /**
   * Copies a database to a new one that does not allow connections. Postgres copies only databases without sessions, so sessions in
   * `sourceName` are ended, and new ones wait until the copy is complete. No sessions of a tenant are killed for it: otherwise every user
   * who may create copies could make Postgres restart for all databases.
   *
   * @throws ClusterError `cluster:session_unresponsive`.
   */
  copy(sourceName: string, targetName: string, signal?: AbortSignal): Promise<void> {
    return this.#admin.memberships.runWith([toTenantDatabaseName(sourceName)], () =>
      this.#copyAsOwner(sourceName, targetName, signal),
    );
  }

  async #copyAsOwner(sourceName: string, targetName: string, signal?: AbortSignal): Promise<void> {
    // Its owner may have revoked the privilege to connect, without which no one may read the size.
    const [source] = await this.#admin.query<CopySource>(
      `select current_setting('server_version_num')::integer as version,
          case when has_database_privilege(oid, 'connect') then pg_database_size(oid) end as bytes,
          case current_setting('file_copy_method', true) when 'clone' then pg_has_role('pg_checkpoint', 'usage') else false end as clones
        from pg_database where datname = $1`,
      [sourceName],
    );
    if (source === undefined) throw new Error(`The Postgres database ${sourceName} does not exist`);
    const strategy = buildCopyStrategy(source);
    const copyWhenUnused = async (): Promise<void> => {
      try {
        await this.#admin.runWhenUnused(
          sourceName,
          () => this.#createCopy(sourceName, targetName, strategy, signal),
          false,
        );
      } catch (error) {
        if (!(error instanceof UnresponsiveSessionsError)) throw error;
        throw clusterErrors.sessionUnresponsive(toTenantDatabaseName(sourceName));
      }
    };
    // Not whether it is open now: an earlier copy may have been interrupted before it opened the database again.
    const isTenantDatabase = classifyName(sourceName) === "database";
    if (isTenantDatabase && mustCheckpointFirst(source))
      await this.#admin.runLongStatement("checkpoint", signal);
    await (isTenantDatabase
      ? this.closeWhile(sourceName, () => this.#closeForCopy(sourceName, copyWhenUnused))
      : copyWhenUnused());
    await this.copySettings(sourceName, targetName);
  }

  async #closeForCopy(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections false`]);
      await work();
    } finally {
      if (!this.mustStayClosed(name))
        await this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections true`]);
    }
  }

  /**
   * Copies what `CREATE DATABASE` does not: the settings of `ALTER DATABASE … SET`, or those that `ALTER ROLE … IN DATABASE … SET` stored for
   * the roles of a tenant. Roles of other tenants can store settings in the database as well, which are not copied. Removes settings that
   * only `targetName` has.
   *
   * @param owner the owner role of the tenant. Default: the settings of the database.
   */
  async copySettings(sourceName: string, targetName: string, owner?: string): Promise<void> {
    const roleCondition = owner === undefined ? "s.setrole = 0" : this.#buildTenantRoleCondition("$3");
    const settings = await this.#admin.query<StoredSettings>(
      `select r.rolname as role, max(s.setconfig) filter (where d.datname = $1) as settings
        from pg_db_role_setting s
        join pg_database d on d.oid = s.setdatabase and d.datname in ($1, $2)
        left join pg_roles r on r.oid = s.setrole
        where ${roleCondition}
        group by r.rolname`,
      [sourceName, targetName, ...(owner === undefined ? [] : [owner])],
    );
    const changes = settings.flatMap(({ role, settings }) => {
      const database = `database ${quoteIdentifier(targetName)}`;
      const statementStart =
        role === null ? `alter ${database}` : `alter role ${quoteIdentifier(role)} in ${database}`;
      return [
        `${statementStart} reset all`,
        ...(settings ?? []).map((setting) => buildSettingStatement(statementStart, setting)),
      ];
    });
    if (changes.length === 0) return;
    try {
      await this.#admin.runScript(changes);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      for (const change of changes) await this.#trySetting(change, targetName);
    }
  }

  /** Makes a change of a setting, unless Postgres refuses it. A copy without a setting is better than no copy. */
  async #trySetting(change: string, database: string): Promise<void> {
    try {
      await this.#admin.runScript([change]);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      // Neither the statement nor the message, which may contain the value.
      this.#onLog?.(
        `A setting was not copied to the database ${database}: Postgres error ${error.code ?? ""}`,
      );
    }
  }

  /** Returns the SQL condition on the role `r` for the owner role of a tenant, whose name `owner` is in SQL, and its logins. */
  #buildTenantRoleCondition(owner: string): string {
    const { loginRoleCondition, platformRoleCondition } = this.installation;
    return `(r.rolname = ${owner} or ${loginRoleCondition} and exists (
        select from pg_auth_members m join pg_roles o on o.oid = m.roleid where m.member = r.oid and o.rolname = ${owner}))
      and ${platformRoleCondition}`;
  }

  /**
   * Makes `owner` the owner of all objects that the owner role and the logins of `source` have in its copy `name`, and revokes their
   * privileges there. The tenant of the source chooses the other names in its catalogs: roles that only have privileges keep them, because
   * they may be roles of the platform or of other tenants, which own objects that all databases share.
   */
  async transferOwnership(name: string, source: string, owner: string): Promise<void> {
    if (source === owner) return;
    const memberships = await this.#admin.query<{ role: string }>(
      `select r.rolname as role
        from pg_roles r
        where ${this.#buildTenantRoleCondition("$1")}`,
      [source],
    );
    const roles = memberships.map(({ role }) => role);
    await this.#admin.memberships.runWith([...roles, owner], () =>
      this.#transferOwnershipOf(roles, { name, source, owner }),
    );
  }

  async #transferOwnershipOf(
    roles: readonly string[],
    { name, source, owner }: { name: string; source: string; owner: string },
  ): Promise<void> {
    await this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections true`]);
    try {
      await this.#giveAwayInBatches(name, roles, owner);
    } catch (error) {
      if (!isTooManyLocksError(error)) throw error;
      throw new Error(`The database ${source} has too many objects to give them to another owner`, {
        cause: error,
      });
    } finally {
      await this.#admin.runWhenUnused(name, () =>
        this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections false`]),
      );
    }
  }

  /**
   * Drops a database of any kind and its sessions. Does nothing when the installation has none with this name. Before the files are
   * removed, every session of the server has to react to a signal. While one does not, the database is invalid: no client can connect to
   * it, and all that Postgres allows is to drop it later.
   *
   * Gives up after a second, and calls `onStall`: the database is dropped later. Use `makeRoom` if its name is needed now.
   */
  async drop(name: string): Promise<void> {
    await this.#dropUnlessStalled(name);
  }

  /**
   * Drops a database, so that its name can be used for another one.
   *
   * @throws UnresponsiveSessionsError while a session of the server does not react to signals.
   */
  async makeRoom(name: string): Promise<void> {
    if (!(await this.#dropUnlessStalled(name))) throw new UnresponsiveSessionsError();
  }

  /** Returns whether the database no longer exists. */
  async #dropUnlessStalled(name: string): Promise<boolean> {
    const [row] = await this.#admin.query<{ template: boolean; used: boolean }>(
      `select datistemplate as template, exists (select from pg_stat_activity where datid = d.oid) as used
        from pg_database d where datname = $1 and ${this.installation.platformDatabaseCondition}`,
      [name],
    );
    if (row === undefined) return true;
    return this.#admin.memberships.runWith([toTenantDatabaseName(name)], () => this.#dropAsOwner(name, row));
  }

  async #dropAsOwner(name: string, row: { template: boolean; used: boolean }): Promise<boolean> {
    if (!row.template) {
      // Says who is connected if the platform cannot end all sessions. `DROP DATABASE` would wait for those that ignore it, and keep others
      // from their turn.
      if (row.used || !this.#admin.cluster.canForceDrop) await this.#admin.endSessions("datname = $1", name);
      const statement = `drop database if exists ${quoteIdentifier(name)} with (force)`;
      try {
        return await this.#runUnlessStalled(statement);
      } catch (error) {
        // Sessions that ignore signals, or a subscription.
        if (!isDatabaseInUseError(error) || !(await this.#admin.endSessions("datname = $1", name)))
          throw error;
        return this.#runUnlessStalled(statement);
      }
    }
    // A tenant has marked its database as a template, which cannot be dropped and is never invalid. It must not be able to
    // do so again.
    await this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections false`]);
    let isDropped = false;
    await this.#admin.runWhenUnused(name, async () => {
      await this.#admin.runScript([`alter database ${quoteIdentifier(name)} is_template false`]);
      isDropped = await this.#runUnlessStalled(`drop database ${quoteIdentifier(name)}`);
    });
    return isDropped;
  }

  /**
   * Runs `DROP DATABASE`. Cancels it when a session of the server does not react to signals. Returns whether it is done.
   */
  async #runUnlessStalled(statement: string): Promise<boolean> {
    const stallController = new AbortController();
    const timeoutMs = performance.now() - this.#stalledAt < stallMemoryMs ? 0 : stallTimeoutMs;
    const watchForStall = async (): Promise<void> => {
      for (let waitedMs = 0; !stallController.signal.aborted; waitedMs += stallCheckIntervalMs) {
        await sleep(stallCheckIntervalMs, undefined, { signal: stallController.signal, ref: false });
        const [waitingSession] = await this.#admin.query(
          "select from pg_stat_activity where query = $1 and wait_event = 'ProcSignalBarrier'",
          [statement],
        );
        if (waitingSession === undefined) waitedMs = 0;
        else if (waitedMs >= timeoutMs) stallController.abort(stallError);
      }
    };
    const watchEnded = watchForStall().catch(() => undefined);
    try {
      await this.#admin.runLongStatement(statement, stallController.signal);
      return true;
    } catch (error) {
      if (error !== stallError) throw error;
      this.#stalledAt = performance.now();
      this.#onStall?.();
      return false;
    } finally {
      stallController.abort();
      await watchEnded;
    }
  }

  dropRole(role: string, owner: string): Promise<void> {
    return this.dropRoles([role], owner);
  }

  /**
   * Drops roles with their sessions and their privileges in the database of their owner, and gives their objects there to the owner.
   * Other tenants may have granted them privileges in their databases, where the platform runs nothing. Such a role remains,
   * without a login and a password, until these databases are dropped. So does a role that has a session which ignores its end, one that a
   * session of another tenant locks with a statement that Postgres cannot interrupt, and one with so many objects that removing it would
   * take the locks of all databases.
   */
  async dropRoles(roles: readonly string[], owner: string): Promise<void> {
    if (roles.length === 0) return;
    await this.#admin.memberships.runWith([...roles, owner], () => this.#dropRolesAsOwner(roles, owner));
  }

  async #dropRolesAsOwner(roles: readonly string[], owner: string): Promise<void> {
    for (const role of roles) await alterRole(this.#admin, role, "nologin password null");
    // The owner role never logs in.
    const logins = roles.filter((role) => role !== owner);
    if (logins.length > 0) await endStartingSessions(this.#admin, logins);
    // Privileges on databases are revoked here.
    const sharedObjectsDatabase = this.#admin.cluster.maintenanceDatabase;
    const rolesWithSharedPrivileges: string[] = [];
    let mustRemain = false;
    for (const role of roles) {
      try {
        await this.#admin.endSessions("usename = $1", role);
        const databases = await this.#findDatabasesOfRole(role);
        if (databases.includes(sharedObjectsDatabase)) rolesWithSharedPrivileges.push(role);
        // A kept database stays what it was.
        const ownDatabases = databases.filter(
          (database) =>
            database !== sharedObjectsDatabase &&
            classifyName(database) !== "kept" &&
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
      const [groups, settingTargets] = [await this.#findGroupsOf(role), await this.#findSettingTargets(role)];
      await this.#admin.runScript([
        ...settingTargets.map((target) => `alter ${target} reset all`),
        ...groups.map((group) => `revoke ${quoteIdentifier(group)} from ${quoteIdentifier(role)}`),
        buildMarkRoleStatement(role, this.installation.retiredMark),
      ]);
    }
  }

  /** Drops the roles that remained because of sessions, locks, or privileges in databases that no longer exist. */
  async dropRetiredRoles(): Promise<void> {
    const roles = await this.#admin.query<{ name: string }>(
      `select rolname as name from pg_roles r where ${this.installation.retiredRoleCondition}
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
    const [row] = await this.#admin.query<{ open: boolean }>(
      "select datallowconn as open from pg_database where datname = $1",
      [database],
    );
    // A backup does not allow connections, and a tenant may have closed its database.
    if (row?.open !== false) return this.#giveAwayEndingBlockers(database, role, owner);
    await this.#admin.runScript([`alter database ${quoteIdentifier(database)} allow_connections true`]);
    try {
      await this.#giveAway(database, [role], owner);
    } finally {
      await this.#admin.runScript([`alter database ${quoteIdentifier(database)} allow_connections false`]);
    }
  }

  /** Ends all sessions of the database when one of them keeps a lock although it was told to end. */
  async #giveAwayEndingBlockers(database: string, role: string, owner: string): Promise<void> {
    try {
      await this.#giveAway(database, [role], owner);
    } catch (error) {
      if (!isLockTimeoutError(error)) throw error;
      await this.#admin.endSessions("datname = $1", database);
      await this.#giveAway(database, [role], owner);
    }
  }

  /** Gives the objects of roles in a copy to `owner`, in several transactions if there are many. No one else can connect to the copy. */
  async #giveAwayInBatches(name: string, roles: readonly string[], owner: string): Promise<void> {
    try {
      await this.#giveAway(name, roles, owner);
    } catch (error) {
      if (!isTooManyLocksError(error)) throw error;
      const { cluster, limits } = this.#admin;
      const batchSize = Math.ceil((limits.locks * lockShares.several) / locksPerTable);
      await this.#admin.runScriptIn(name, cluster.buildAllowOwningStatements(name, owner));
      await this.#admin.runScriptIn(name, [tenantStatements.giveRelations(roles, owner, batchSize)]);
      await this.#giveAway(name, roles, owner);
    }
  }

  /**
   * Gives the objects of roles in a database to `owner`, and revokes their privileges, in one transaction, which locks all of them. All
   * databases share the room for locks, so one transaction at a time may take many.
   *
   * @throws DatabaseError `program_limit_exceeded` when there are too many.
   */
  async #giveAway(database: string, roles: readonly string[], owner: string): Promise<void> {
    if (roles.length === 0) return;
    const statements = await this.#buildReassignStatements(database, roles, owner);
    const run = (share: number): Promise<void> =>
      this.#admin.runScriptIn(database, [
        tenantStatements.limitLocks(roles, Math.floor(this.#admin.limits.locks * share)),
        ...statements,
      ]);
    try {
      await run(lockShares.several);
    } catch (error) {
      if (!isTooManyLocksError(error)) throw error;
      await this.#manyLocksSemaphore.run(database, () => run(lockShares.one));
    }
  }

  /**
   * Returns the statements that give the objects of roles in a database to `owner`, and revoke the privileges of these roles.
   * The roles keep their databases, although REASSIGN OWNED also changes the owner of databases.
   */
  async #buildReassignStatements(
    database: string,
    roles: readonly string[],
    owner: string,
  ): Promise<TenantStatement[]> {
    const ownedDatabases = await this.#admin.query<{ name: string; role: string }>(
      `select d.datname as name, r.rolname as role
        from pg_database d join pg_roles r on r.oid = d.datdba where r.rolname = any ($1)`,
      [roles],
    );
    return [
      ...this.#admin.cluster.buildAllowOwningStatements(database, owner),
      ...roles.flatMap((role) => [
        tenantStatements.reassignOwned(role, owner),
        ...ownedDatabases
          .filter((database) => database.role === role)
          .map(({ name }) => tenantStatements.giveDatabase(name, role)),
        tenantStatements.dropOwned(role),
      ]),
    ];
  }

  async #findGroupsOf(role: string): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      `select o.rolname as name from pg_auth_members m
        join pg_roles r on r.oid = m.member join pg_roles o on o.oid = m.roleid where r.rolname = $1`,
      [role],
    );
    return rows.map(({ name }) => name);
  }

  /** Returns what `ALTER` has to reset, so that nothing is stored for a role: the role, and the role in databases. */
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
   * Returns the databases with objects or privileges of the role; the home database for privileges on databases. Leaves out those that
   * only wait until they can be dropped.
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

  async #createCopy(
    sourceName: string,
    targetName: string,
    strategy: string,
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      await this.#admin.runLongStatement(
        `create database ${quoteIdentifier(targetName)} owner ${quoteIdentifier(this.installation.platformRole)} template ${quoteIdentifier(sourceName)} ${strategy} allow_connections false`,
        signal,
      );
    } catch (error) {
      // Postgres completes the statement of a process that has ended. The repetition drops the database that it made.
      throw isDuplicateDatabaseError(error) ? toUnavailableError(error) : error;
    }
    // By default, everyone may connect to a new database.
    await this.#admin.runScript([`revoke all on database ${quoteIdentifier(targetName)} from public`]);
  }
}
