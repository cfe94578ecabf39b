import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseError } from "pg";
import {
  type AdminConnection,
  quoteIdentifier,
  isDatabaseInUseError,
} from "../connection/admin-connection.js";
import { toUnavailableError } from "../connection/unavailable.js";
import { clusterErrors } from "../policy/cluster-error.js";
import { getDatabaseUse, toTenantDatabaseName } from "../policy/names.js";
import type { Installation } from "../policy/installation.js";
import { UnresponsiveSessionsError } from "../connection/unresponsive-sessions.js";
import { tenantStatements } from "../policy/tenant-statement.js";
import {
  type CopySource,
  buildCopyStrategy,
  buildEmptyStrategy,
  fileStrategy,
  mustCheckpointFirst,
} from "./copy-strategy.js";
import { isTooManyLocksError, RoleOwnership } from "./role-ownership.js";
import { buildSettingStatement } from "./settings.js";

/** How long `DROP DATABASE` waits for sessions to react, and the interval at which that is checked, in milliseconds. */
const stallTimeoutMs = 750;
const stallCheckIntervalMs = 250;

/** How long after a stall other drops wait for one check only, because another stall is likely, in milliseconds. */
const stallMemoryMs = 5_000;

/** The reason for canceling `DROP DATABASE`. */
const stallError = new Error("A session does not react to signals");

/** Returns whether Postgres rejected a new database because another statement has just created it. */
const isDuplicateDatabaseError = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === "42P04" || error.code === "23505");

/** Settings that are stored for a database, or for a role in it. */
interface StoredSettings {
  /** The role to which they apply; null when they apply to all. */
  role: string | null;
  /** The settings of the source. Null when only the target has settings for this role. */
  settings: string[] | null;
}

/** Creates, copies, and drops whole databases. */
export class DatabaseCopier {
  readonly installation: Installation;
  readonly #admin: AdminConnection;
  readonly #ownership: RoleOwnership;
  readonly #onLog: ((line: string) => void) | undefined;
  /** Runs a callback while a database is closed for its clients. */
  closeWhile: (database: string, callback: () => Promise<void>) => Promise<void> = (_, callback) =>
    callback();
  /** Returns whether a database must not allow connections after a copy. */
  mustStayClosed: (database: string) => boolean = () => false;
  #onStall: (() => void) | undefined;
  /** The last time a session did not react, by `performance.now()`. */
  #stalledAt = -Infinity;

  /** Sets the callback for a database that could not be dropped and is invalid. Called immediately if that has already happened. */
  set onStall(onStall: () => void) {
    this.#onStall = onStall;
    if (this.#stalledAt !== -Infinity) onStall();
  }

  /** @param options.onLog receives messages about settings that could not be copied. */
  constructor(admin: AdminConnection, { onLog }: { onLog?: ((line: string) => void) | undefined } = {}) {
    this.#admin = admin;
    this.installation = admin.cluster.installation;
    this.#ownership = new RoleOwnership(admin);
    this.#onLog = onLog;
  }

  /**
   * Creates an empty database that does not allow connections, and gives it its name when it is complete. Connects to it once before,
   * because the first session in a database caches the catalogs of Postgres in a file for the others. The database keeps it when it is
   * renamed.
   *
   * @returns whether `copyPrepared` copies the database faster, because it copies this file, too.
   */
  async createEmpty(unfinishedName: string, name: string): Promise<boolean> {
    const [settings] = await this.#admin.query<{ version: number; fsync: boolean }>(
      "select current_setting('server_version_num')::integer as version, current_setting('fsync')::boolean as fsync",
    );
    if (settings === undefined) throw new Error("Postgres did not return its settings");
    const strategy = buildEmptyStrategy(settings);
    await this.#createCopy("template0", unfinishedName, strategy);
    await this.#admin.runScript([`alter database ${quoteIdentifier(unfinishedName)} allow_connections true`]);
    await this.#admin.runScriptIn(unfinishedName, [
      tenantStatements.noOp(),
      ...this.#admin.cluster.databaseSetupStatements,
    ]);
    await this.#admin.runWhenUnused(unfinishedName, () =>
      this.#admin.runScript([
        `alter database ${quoteIdentifier(unfinishedName)} allow_connections false`,
        `alter database ${quoteIdentifier(unfinishedName)} rename to ${quoteIdentifier(name)}`,
      ]),
    );
    return strategy === fileStrategy;
  }

  /** Copies the files of a database that `createEmpty` has created, and gives the copy its name when it is complete. */
  async copyPrepared(templateName: string, unfinishedName: string, name: string): Promise<void> {
    await this.#createCopy(templateName, unfinishedName, fileStrategy);
    await this.#admin.runScript([
      `alter database ${quoteIdentifier(unfinishedName)} rename to ${quoteIdentifier(name)}`,
    ]);
  }

  /**
   * Copies a database to a new one that does not allow connections. Postgres copies only databases without sessions, so sessions in
   * `sourceName` are terminated, and new ones wait until the copy is complete. No sessions of a tenant are killed for it: otherwise every
   * user who may create copies could make Postgres restart for all databases.
   *
   * @throws ClusterError `cluster:session_unresponsive`.
   */
  copy(sourceName: string, targetName: string, signal?: AbortSignal): Promise<void> {
    return this.#admin.memberships.runWith([toTenantDatabaseName(sourceName)], () =>
      this.#copyAsOwner(sourceName, targetName, signal),
    );
  }

  async #copyAsOwner(sourceName: string, targetName: string, signal?: AbortSignal): Promise<void> {
    // The size cannot be read here: the owner of the database may have revoked the privilege to connect, which that requires.
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
    // Decided by the name, not by whether the database is open: an interrupted copy may have left it closed.
    const isTenantDatabase = getDatabaseUse(sourceName) === "database";
    if (isTenantDatabase && mustCheckpointFirst(source))
      await this.#admin.runLongStatement("checkpoint", signal);
    await (isTenantDatabase
      ? this.closeWhile(sourceName, () => this.#closeForCopy(sourceName, copyWhenUnused))
      : copyWhenUnused());
    await this.copySettings(sourceName, targetName);
  }

  async #closeForCopy(name: string, callback: () => Promise<void>): Promise<void> {
    try {
      await this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections false`]);
      await callback();
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

  /** Changes a setting, unless Postgres rejects the change. A copy without a setting is better than no copy. */
  async #trySetting(change: string, database: string): Promise<void> {
    try {
      await this.#admin.runScript([change]);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      // Logs neither the statement nor the message, which may contain the value of the setting.
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
      await this.#ownership.transferObjectsOfCopy(name, roles, owner);
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
   * Gives up after a second, and calls `onStall`: the database is dropped later. Use `freeName` if its name is needed now.
   */
  async drop(name: string): Promise<void> {
    await this.#dropUnlessStalled(name);
  }

  /**
   * Drops a database, so that its name can be used for another one.
   *
   * @throws UnresponsiveSessionsError while a session of the server does not react to signals.
   */
  async freeName(name: string): Promise<void> {
    if (!(await this.#dropUnlessStalled(name))) throw new UnresponsiveSessionsError();
  }

  /** Returns whether the database no longer exists. */
  async #dropUnlessStalled(name: string): Promise<boolean> {
    const [row] = await this.#admin.query<{ isTemplate: boolean; isUsed: boolean }>(
      `select datistemplate as "isTemplate", exists (select from pg_stat_activity where datid = d.oid) as "isUsed"
        from pg_database d where datname = $1 and ${this.installation.platformDatabaseCondition}`,
      [name],
    );
    if (row === undefined) return true;
    return this.#admin.memberships.runWith([toTenantDatabaseName(name)], () => this.#dropAsOwner(name, row));
  }

  async #dropAsOwner(name: string, row: { isTemplate: boolean; isUsed: boolean }): Promise<boolean> {
    if (!row.isTemplate) {
      // Reports who is connected if the platform cannot terminate all sessions. `DROP DATABASE` would wait for sessions that ignore signals,
      // and delay other drops.
      if (row.isUsed || !this.#admin.cluster.canForceDrop)
        await this.#admin.terminateSessions("datname = $1", name);
      const statement = `drop database if exists ${quoteIdentifier(name)} with (force)`;
      try {
        return await this.#runUnlessStalled(statement);
      } catch (error) {
        // Sessions that ignore signals, or a subscription.
        if (!isDatabaseInUseError(error) || !(await this.#admin.terminateSessions("datname = $1", name)))
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
    const watchStopped = watchForStall().catch(() => undefined);
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
      await watchStopped;
    }
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
      // Postgres completes the statement of a process that has exited. The retry drops the database that it created.
      throw isDuplicateDatabaseError(error) ? toUnavailableError(error) : error;
    }
    // By default, everyone may connect to a new database.
    await this.#admin.runScript([`revoke all on database ${quoteIdentifier(targetName)} from public`]);
  }
}
