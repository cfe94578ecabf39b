import { type DatabaseCredential, DatabaseUnavailableError } from "@mgmt/engine";
import { FairSemaphore } from "@mgmt/engine/internal";
import { deriveScramVerifier } from "../connection/scram.js";
import { type AdminConnection, quoteIdentifier, quoteLiteral } from "../connection/admin-connection.js";
import type { RoleRemover } from "../databases/role-remover.js";
import type { Installation } from "../policy/installation.js";
import {
  type RoleStatements,
  buildLogLevelStatement,
  buildRoleCommentStatement,
  buildStartAsOwnerStatement,
  createRoleStatements,
  joinRoleStatements,
} from "../policy/role-statements.js";
import { UnresponsiveSessionsError } from "../connection/unresponsive-sessions.js";
import { LateSessionMonitor } from "../connection/late-sessions.js";
import { alterRole, terminateStartingSessions } from "../connection/role-sessions.js";

/** A login role found in Postgres. */
interface LoginRoleRow {
  canLogIn: boolean;
  limit: number;
  owners: string[];
  comment: string | null;
}

/** A database and the logins that it should have. */
interface DatabaseLogins {
  name: string;
  credentials: readonly DatabaseCredential[];
}

/** How many databases one transaction of `resetPasswords` changes. */
const databasesPerBatch = 50;

/**
 * Manages the login roles of databases, one per connection. Each login is a member of the database's owner role and starts
 * its sessions as that role. Connections therefore share all objects, and dropping a login does not drop its tables.
 */
export class Logins {
  readonly #admin: AdminConnection;
  readonly #roleRemover: RoleRemover;
  readonly #installation: Installation;
  /**
   * Database by role. Entries never become stale, because a role never belongs to another database, and Postgres rejects roles that were
   * dropped.
   */
  readonly #databaseCache = new Map<string, string>();
  /** Passwords by role, as this process has set or seen them. Another process may have changed them since. */
  readonly #passwordCache = new Map<string, string>();
  /** Limits queries for unknown names to one at a time, so that clients that send such names do not occupy the connections. */
  readonly #searchSemaphore = new FairSemaphore({ maxTotal: 1 });
  readonly #lateSessions: LateSessionMonitor;
  /** Runs a callback under the lock of a database. */
  withLock: (owner: string, callback: () => Promise<void>) => Promise<void> = (_, callback) => callback();
  /**
   * Makes the logins of a database match the records. Called under its lock. Undefined if no other process sets passwords, because this
   * process then knows the password of each login.
   */
  restoreLogins: ((owner: string) => Promise<void>) | undefined;

  constructor(admin: AdminConnection, roleRemover: RoleRemover) {
    this.#admin = admin;
    this.#roleRemover = roleRemover;
    this.#installation = admin.cluster.installation;
    this.#lateSessions = new LateSessionMonitor(admin);
  }

  /** Stops background work. */
  close(): Promise<void> {
    return this.#lateSessions.close();
  }

  /** Returns the statements that create logins, so that they can run in the transaction that creates the database. */
  createLoginStatements(
    owner: string,
    credentials: readonly DatabaseCredential[],
  ): Promise<RoleStatements[]> {
    const limit = `connection limit ${String(this.#admin.limits.connectionsPerDatabase)}`;
    return Promise.all(
      credentials.map(async ({ connectionId, user, pass }) => {
        const password = quoteLiteral(await deriveScramVerifier(pass));
        const { create, configure } = createRoleStatements(
          this.#installation,
          user,
          `login password ${password} ${limit} in role ${quoteIdentifier(owner)}`,
          this.#installation.buildLoginComment(connectionId),
        );
        return {
          create,
          configure: [
            ...configure,
            buildStartAsOwnerStatement(user, owner),
            buildLogLevelStatement(this.#admin.cluster, user),
          ],
        };
      }),
    );
  }

  /** Caches the database and the password of a login role, so that they need not be queried. */
  cacheCredential(owner: string, { user, pass }: DatabaseCredential): void {
    this.#databaseCache.set(user, owner);
    this.#passwordCache.set(user, pass);
  }

  /** Returns the database of a login role from the cache. */
  getCachedDatabase(user: string): string | undefined {
    return this.#databaseCache.get(user);
  }

  /**
   * Returns the database of a login role, which another process may have created; undefined when the role is not a login of a
   * database.
   *
   * @throws DatabaseUnavailableError
   */
  findDatabase(user: string): string | undefined | Promise<string | undefined> {
    return this.getCachedDatabase(user) ?? this.#searchSemaphore.run("", () => this.#findOwner(user));
  }

  async #findOwner(user: string): Promise<string | undefined> {
    const [ownerRow] = await this.#admin.query<{ owner: string }>(
      `select o.rolname as owner from pg_roles r
        join pg_auth_members m on m.member = r.oid
        join pg_roles o on o.oid = m.roleid and not o.rolcanlogin
        where r.rolname = $1 and r.rolcanlogin and ${this.#installation.platformRoleCondition}
          and exists (select from pg_database where datdba = o.oid and datname = o.rolname)`,
      [user],
    );
    if (ownerRow) this.#databaseCache.set(user, ownerRow.owner);
    return ownerRow?.owner;
  }

  /** Creates the login, or changes the password of an existing one and terminates its sessions if it accepts another password. */
  async grant(owner: string, credential: DatabaseCredential): Promise<void> {
    const { connectionId, user } = credential;
    const [existingLogin, connectionRoles] = await Promise.all([
      this.#findLogin(user),
      this.#findRolesOfConnection(owner, connectionId),
    ]);
    if (existingLogin === undefined) {
      await this.#admin.runScript(
        joinRoleStatements(...(await this.createLoginStatements(owner, [credential]))),
      );
    } else {
      // An interrupted removal has retired the role, because it could not be dropped.
      if (existingLogin.comment === this.#installation.retiredRoleComment)
        await this.#admin.runScript(buildMembershipStatements(user, owner));
      else if (!existingLogin.owners.includes(owner)) {
        throw new Error(`The role ${user} belongs to another database`);
      }
      if (existingLogin.limit !== this.#admin.limits.connectionsPerDatabase)
        await this.#admin.runScript(this.#buildLimitStatements(user));
      await this.#ensurePassword(owner, credential, existingLogin);
      // An administrator may have changed it.
      if (existingLogin.comment !== this.#installation.buildLoginComment(connectionId)) {
        await this.#admin.runScript([
          buildRoleCommentStatement(user, this.#installation.buildLoginComment(connectionId)),
        ]);
      }
    }
    this.cacheCredential(owner, credential);
    await this.#dropLogins(
      connectionRoles.filter((role) => role !== user),
      owner,
    );
  }

  /**
   * Sets the passwords, which tenants may have changed, of databases whose roles are otherwise as they should be. Does so in a few
   * statements, for the start of the platform in a cluster of its own, and does not terminate sessions that have used another password.
   *
   * @returns the names of these databases. The others need more than passwords.
   */
  async resetPasswords(databases: readonly DatabaseLogins[]): Promise<Set<string>> {
    const commentsByDatabase = await this.#findCompleteLogins(databases.map(({ name }) => name));
    const matchingDatabases = databases.filter(({ name, credentials }) => {
      const roles = commentsByDatabase.get(name);
      return (
        roles?.size === credentials.length &&
        credentials.every(
          ({ connectionId, user }) => roles.get(user) === this.#installation.buildLoginComment(connectionId),
        )
      );
    });
    const resetNames = new Set<string>();
    for (let start = 0; start < matchingDatabases.length; start += databasesPerBatch) {
      const batch = matchingDatabases.slice(start, start + databasesPerBatch);
      const logins = batch.flatMap(({ credentials }) => credentials);
      const statementPromises = logins.map(
        async ({ user, pass }) =>
          `alter role ${quoteIdentifier(user)} password ${quoteLiteral(await deriveScramVerifier(pass))}`,
      );
      try {
        await this.#admin.runScript(await Promise.all(statementPromises));
      } catch (error) {
        // The caller repairs these databases one by one, which finds the one that Postgres rejects.
        if (error instanceof DatabaseUnavailableError) throw error;
        continue;
      }
      for (const { name, credentials } of batch) {
        for (const credential of credentials) this.cacheCredential(name, credential);
        resetNames.add(name);
      }
    }
    return resetNames;
  }

  async revoke(owner: string, connectionId: string): Promise<void> {
    await this.#dropLogins(await this.#findRolesOfConnection(owner, connectionId), owner);
  }

  /** Drops all logins of a database except the given ones. */
  async dropAllLogins(owner: string, rolesToKeep: readonly string[] = []): Promise<void> {
    const roles = await this.#findMembers(owner);
    await this.#dropLogins(
      roles.filter((role) => !rolesToKeep.includes(role)),
      owner,
    );
  }

  /**
   * Sets the password, which the tenant may have changed, and terminates the sessions. A login that accepts the password stays as it is: clients
   * may use it at any moment.
   */
  async #ensurePassword(
    owner: string,
    { user, pass }: DatabaseCredential,
    existingLogin: LoginRoleRow,
  ): Promise<void> {
    // The login is disabled if an earlier change was interrupted.
    const isAccepted = existingLogin.canLogIn && (await this.#acceptsPassword(owner, user, pass));
    if (!isAccepted) await this.#setPassword(owner, user, pass);
  }

  async #acceptsPassword(owner: string, user: string, pass: string): Promise<boolean> {
    try {
      return await this.#admin.acceptsLogin({ user, password: pass, database: owner });
    } catch (error) {
      // If this process has set another password, the new one must replace it even while clients occupy all connections.
      const isReplaced = (this.#passwordCache.get(user) ?? pass) !== pass;
      if (isReplaced && error instanceof DatabaseUnavailableError) return false;
      throw error;
    }
  }

  /**
   * Sets the password of a login that does not accept it, and terminates the sessions of the login. No one can log in meanwhile. The
   * password takes effect even if a session does not react to its termination.
   */
  async #setPassword(owner: string, user: string, pass: string): Promise<void> {
    const passwordClause = `password ${quoteLiteral(await deriveScramVerifier(pass))}`;
    const latePids = new Set<number>();
    // Sessions of the login can change the password again, so this is repeated until there are none.
    for (let attempt = 1, hadSessions = true; hadSessions; attempt += 1) {
      await alterRole(this.#admin, user, `nologin ${passwordClause}`);
      // Further attempts do not wait for the starting sessions again.
      const timeoutMs = attempt === 1 ? undefined : 0;
      for (const pid of await terminateStartingSessions(this.#admin, [user], timeoutMs)) latePids.add(pid);
      try {
        hadSessions = await this.#admin.terminateSessions("usename = $1", user);
      } catch (error) {
        if (!(error instanceof UnresponsiveSessionsError)) throw error;
        // The other sessions have ended, but may have changed the password before.
        await alterRole(this.#admin, user, `nologin ${passwordClause}`);
        hadSessions = false;
      }
    }
    await this.#admin.runScript([`alter role ${quoteIdentifier(user)} login`]);
    this.#lateSessions.add(user, [...latePids], (startedPids) =>
      this.withLock(owner, () => this.#terminateLateSessions(owner, { user, pass }, startedPids)),
    );
  }

  /** Terminates sessions that have started with the previous password, and undoes what they may have done to the new one. */
  async #terminateLateSessions(
    owner: string,
    { user, pass }: Pick<DatabaseCredential, "user" | "pass">,
    pids: readonly number[],
  ): Promise<void> {
    // Another change may have terminated its sessions.
    if (this.#passwordCache.get(user) !== pass) return;
    const condition = `usename = ${quoteLiteral(user)} and pid = any ($1::integer[])`;
    try {
      await this.#admin.terminateSessions(condition, `{${pids.join()}}`);
    } catch (error) {
      if (!(error instanceof UnresponsiveSessionsError)) throw error;
    }
    if (await this.#acceptsPassword(owner, user, pass)) return;
    await (this.restoreLogins ?? (() => this.#setPassword(owner, user, pass)))(owner);
  }

  /** Returns the statements that limit the resources of a login. It cannot change these limits. */
  #buildLimitStatements(user: string): string[] {
    return [
      `alter role ${quoteIdentifier(user)} connection limit ${String(this.#admin.limits.connectionsPerDatabase)}`,
      buildLogLevelStatement(this.#admin.cluster, user),
    ];
  }

  async #dropLogins(roles: readonly string[], owner: string): Promise<void> {
    if (roles.length === 0) return;
    // Another process may have dropped some.
    const existingRoles = await this.#admin.query<{ role: string }>(
      "select rolname as role from pg_roles where rolname = any ($1)",
      [roles],
    );
    await this.#roleRemover.dropRoles(
      existingRoles.map(({ role }) => role),
      owner,
    );
    for (const role of roles) {
      this.#databaseCache.delete(role);
      this.#passwordCache.delete(role);
    }
  }

  /** Returns the role comments of the logins of these databases, unless one of their roles is missing or has to be changed. */
  async #findCompleteLogins(names: readonly string[]): Promise<Map<string, ReadonlyMap<string, string>>> {
    const rows = await this.#admin.query<{ owner: string; roles: Record<string, string | null> }>(
      `select o.rolname as owner, coalesce(
          jsonb_object_agg(r.rolname, shobj_description(r.oid, 'pg_authid')) filter (where r.oid is not null), '{}') as roles
        from pg_roles o
        left join pg_auth_members m on m.roleid = o.oid
        left join pg_roles r on r.oid = m.member
        where o.rolname = any ($1)
        group by o.rolname
        having coalesce(bool_and(r.rolcanlogin and r.rolconnlimit = $2
          and r.oid not in (select usesysid from pg_stat_activity where usesysid is not null)
          and not exists (select from pg_auth_members other where other.member = r.oid and other.roleid <> o.oid)), true)`,
      [names, this.#admin.limits.connectionsPerDatabase],
    );
    return new Map(
      rows.map(({ owner, roles }) => [
        owner,
        new Map(Object.entries(roles).map(([role, comment]) => [role, comment ?? ""])),
      ]),
    );
  }

  async #findLogin(role: string): Promise<LoginRoleRow | undefined> {
    const [login] = await this.#admin.query<LoginRoleRow>(
      `select rolcanlogin as "canLogIn", rolconnlimit as limit,
        array(
          select o.rolname::text from pg_auth_members m join pg_roles o on o.oid = m.roleid where m.member = r.oid and ${this.#installation.platformRoleCondition}
        ) as owners, shobj_description(r.oid, 'pg_authid') as comment
        from pg_roles r where rolname = $1`,
      [role],
    );
    return login;
  }

  /** Returns the roles of a connection: usually one. */
  async #findRolesOfConnection(owner: string, connectionId: string): Promise<string[]> {
    const rows = await this.#admin.query<{ role: string }>(
      `select r.rolname as role
        from pg_auth_members m
        join pg_roles r on r.oid = m.member
        join pg_roles o on o.oid = m.roleid
        where o.rolname = $1 and shobj_description(r.oid, 'pg_authid') = $2`,
      [owner, this.#installation.buildLoginComment(connectionId)],
    );
    return rows.map(({ role }) => role);
  }

  async #findMembers(owner: string): Promise<string[]> {
    const rows = await this.#admin.query<{ role: string }>(
      `select r.rolname as role
        from pg_auth_members m
        join pg_roles r on r.oid = m.member
        join pg_roles o on o.oid = m.roleid
        where o.rolname = $1 and ${this.#installation.platformRoleCondition}`,
      [owner],
    );
    return rows.map(({ role }) => role);
  }
}

/** Returns the statements that make a login a member of the owner role, and start its sessions as that role. */
const buildMembershipStatements = (user: string, owner: string): string[] => [
  `grant ${quoteIdentifier(owner)} to ${quoteIdentifier(user)}`,
  buildStartAsOwnerStatement(user, owner),
];
