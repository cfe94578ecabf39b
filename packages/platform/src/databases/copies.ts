import { DatabaseError } from "pg";
import { type Admin, identifier, literal } from "./admin.js";
import { unavailable } from "../postgres/unavailable.js";
import { kindOf, ownerOf } from "./names.js";
import { isRetired, platformRole, retireRole } from "./ownership.js";
import { alterRole, endSessionsOf } from "./role-sessions.js";
import { storeSetting } from "./settings.js";

/** The database in which privileges on databases are revoked. */
const sharedObjects = "postgres";

/** Returns whether Postgres refused to drop a role that has objects or privileges (`dependent_objects_still_exist`). */
const hasDependents = (error: unknown): boolean => error instanceof DatabaseError && error.code === "2BP01";

/** Returns whether Postgres refused a new database because another statement has just created it. */
const isDuplicate = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === "42P04" || error.code === "23505");

/** Settings that are stored for a database. */
interface StoredSettings {
  /** The role to which they apply; null when they apply to all. */
  role: string | null;
  /** Null when only the other database has settings for this role. */
  settings: string[] | null;
}

/** Copies and drops whole databases, and drops roles with everything that depends on them. */
export class Copies {
  readonly #admin: Admin;
  readonly #strategy: string;
  readonly #onLog: ((line: string) => void) | undefined;

  /** @param onLog receives messages about settings that could not be copied. */
  constructor(admin: Admin, major: number, onLog?: (line: string) => void) {
    this.#admin = admin;
    this.#onLog = onLog;
    this.#strategy = major >= 15 ? "strategy file_copy" : "";
  }

  /**
   * Creates an empty database that does not allow connections, and gives it its name when it is complete. Connects to it once
   * before, because the first session in a database collects what Postgres knows of its catalogs, and stores it in a file for
   * the others. The database keeps it when it is renamed.
   */
  async createEmpty(unfinished: string, name: string): Promise<void> {
    await this.#copy("template0", unfinished, undefined);
    await this.#admin.script([`alter database ${identifier(unfinished)} allow_connections true`]);
    await this.#admin.scriptWithin(unfinished, ["select"]);
    await this.#admin.whileUnused(unfinished, () =>
      this.#admin.script([
        `alter database ${identifier(unfinished)} allow_connections false`,
        `alter database ${identifier(unfinished)} rename to ${identifier(name)}`,
      ]),
    );
  }

  /**
   * Copies a database to a new one that does not allow connections. Postgres copies only databases without sessions, so
   * sessions in `from` are ended, and new ones are refused until the copy is complete.
   */
  async copy(from: string, to: string, signal?: AbortSignal): Promise<void> {
    const [source] = await this.#admin.query("select from pg_database where datname = $1", [from]);
    if (source === undefined) throw new Error(`The Postgres database ${from} does not exist`);
    // Not whether it is open now: an earlier copy may have been interrupted before it opened the database again.
    const isTenant = kindOf(from) === "database";
    try {
      if (isTenant) await this.#admin.script([`alter database ${identifier(from)} allow_connections false`]);
      await this.#admin.whileUnused(from, () => this.#copy(from, to, signal));
    } finally {
      if (isTenant) await this.#admin.script([`alter database ${identifier(from)} allow_connections true`]);
    }
    await this.copySettings(from, to, "setrole = 0");
  }

  /**
   * Copies the settings of `ALTER DATABASE … SET` and `ALTER ROLE … IN DATABASE … SET`, which `CREATE DATABASE` does not.
   * Removes settings that only `to` has.
   *
   * @param which SQL condition on `pg_db_role_setting`.
   */
  async copySettings(from: string, to: string, which: string): Promise<void> {
    const found = await this.#admin.query<StoredSettings>(
      `select r.rolname as role, max(s.setconfig) filter (where d.datname = $1) as settings
        from pg_db_role_setting s
        join pg_database d on d.oid = s.setdatabase and d.datname in ($1, $2)
        left join pg_roles r on r.oid = s.setrole
        where ${which} and (s.setrole = 0) = (r.oid is null)
        group by r.rolname`,
      [from, to],
    );
    const changes = found.flatMap(({ role, settings }) => {
      const database = `database ${identifier(to)}`;
      const target = role === null ? `alter ${database}` : `alter role ${identifier(role)} in ${database}`;
      return [`${target} reset all`, ...(settings ?? []).map((setting) => storeSetting(target, setting))];
    });
    if (changes.length === 0) return;
    try {
      await this.#admin.script(changes);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      for (const change of changes) await this.#attempt(change, to);
    }
  }

  /** Makes a change of a setting, unless Postgres refuses it. A copy without a setting is better than no copy. */
  async #attempt(change: string, database: string): Promise<void> {
    try {
      await this.#admin.script([change]);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      // Neither the statement nor the message, which may contain the value.
      this.#onLog?.(
        `A setting was not copied to the database ${database}: Postgres error ${error.code ?? ""}`,
      );
    }
  }

  /**
   * Makes `owner` the owner of all objects in the copy `name` that belong to other roles, and revokes the privileges of
   * these roles. Members of `owner` keep their objects and privileges.
   */
  async transferOwnership(name: string, owner: string): Promise<void> {
    const others = await this.#admin.query<{ role: string }>(
      `select distinct r.rolname as role
        from pg_shdepend d
        join pg_database b on b.oid = d.dbid
        join pg_roles r on r.oid = d.refobjid
        where d.refclassid = 'pg_authid'::regclass and b.datname = $1 and r.rolname <> $2 and pg_has_role(r.oid, 'usage')
          and not exists (
            select from pg_auth_members m
            join pg_roles o on o.oid = m.roleid
            where m.member = r.oid and o.rolname = $2)`,
      [name, owner],
    );
    if (others.length === 0) return;
    const roles = others.map(({ role }) => role);
    await this.#admin.script([`alter database ${identifier(name)} allow_connections true`]);
    try {
      await this.#admin.scriptWithin(name, [
        ...this.#reassign(name, roles, owner),
        // REASSIGN OWNED also changes the owner of databases, so the same transaction restores them.
        ...(await this.#databasesNamedLike(roles)).map(
          (role) => `alter database ${identifier(role)} owner to ${identifier(role)}`,
        ),
      ]);
    } finally {
      await this.#admin.whileUnused(name, () =>
        this.#admin.script([`alter database ${identifier(name)} allow_connections false`]),
      );
    }
  }

  /** Drops a database of any kind and its sessions. Does nothing when it does not exist. */
  async drop(name: string): Promise<void> {
    const [found] = await this.#admin.query<{ template: boolean }>(
      "select datistemplate as template from pg_database where datname = $1",
      [name],
    );
    if (found === undefined) return;
    if (!found.template) {
      // Says who is connected if the platform cannot end all sessions.
      if (!this.#admin.isSuperuser) await this.#admin.endSessions("datname = $1", name);
      await this.#admin.run(`drop database if exists ${identifier(name)} with (force)`);
      return;
    }
    // A tenant has marked its database as a template, which cannot be dropped and is never invalid. It must not be able to
    // do so again.
    await this.#admin.script([`alter database ${identifier(name)} allow_connections false`]);
    await this.#admin.whileUnused(name, async () => {
      await this.#admin.script([`alter database ${identifier(name)} is_template false`]);
      await this.#admin.run(`drop database ${identifier(name)}`);
    });
  }

  /**
   * Drops a role with its sessions and its privileges in the database of its owner, and gives its objects there to the owner.
   * Other tenants may have granted it privileges in their databases, where the platform runs nothing. Such a role remains,
   * without a login and a password, until these databases are dropped.
   */
  async dropRole(role: string, owner: string): Promise<void> {
    await alterRole(this.#admin, role, "nologin password null");
    await endSessionsOf(this.#admin, role);
    for (const database of await this.#databasesWith(role)) {
      if (database === sharedObjects) {
        await this.#admin.scriptWithin(database, [`drop owned by ${identifier(role)}`]);
      } else if (ownerOf(database) === owner) await this.#removeFrom(role, database, owner);
    }
    try {
      await this.#admin.script([`drop role ${identifier(role)}`]);
    } catch (error) {
      if (!hasDependents(error)) throw error;
      const groups = await this.#groupsOf(role);
      await this.#admin.script([
        ...groups.map((group) => `revoke ${identifier(group)} from ${identifier(role)}`),
        retireRole(role),
      ]);
    }
  }

  /** Drops the roles that remained because of privileges in databases which do not exist any more. */
  async dropRetiredRoles(): Promise<void> {
    const roles = await this.#admin.query<{ name: string }>(
      `select rolname as name from pg_roles r where ${isRetired}
        and not exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = r.oid)`,
    );
    for (const { name } of roles) await this.#admin.script([`drop role if exists ${identifier(name)}`]);
  }

  async #removeFrom(role: string, database: string, owner: string): Promise<void> {
    const [found] = await this.#admin.query<{ open: boolean }>(
      "select datallowconn as open from pg_database where datname = $1",
      [database],
    );
    const statements = this.#reassign(database, [role], owner);
    // A backup does not allow connections, and a tenant may have closed its database.
    if (found?.open !== false) return this.#admin.scriptWithin(database, statements);
    await this.#admin.script([`alter database ${identifier(database)} allow_connections true`]);
    try {
      await this.#admin.scriptWithin(database, statements);
    } finally {
      await this.#admin.script([`alter database ${identifier(database)} allow_connections false`]);
    }
  }

  /** Returns the statements that give the objects of roles to `owner`, and revoke the privileges of these roles. */
  #reassign(database: string, roles: readonly string[], owner: string): string[] {
    return [
      ...(this.#admin.isSuperuser ? [] : allowOwning(database, owner)),
      ...roles.flatMap((role) => [
        `reassign owned by ${identifier(role)} to ${identifier(owner)}`,
        `drop owned by ${identifier(role)}`,
      ]),
    ];
  }

  async #groupsOf(role: string): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      `select o.rolname as name from pg_auth_members m
        join pg_roles r on r.oid = m.member join pg_roles o on o.oid = m.roleid where r.rolname = $1`,
      [role],
    );
    return rows.map(({ name }) => name);
  }

  /** Returns the databases with objects or privileges of the role; `sharedObjects` for privileges on databases. */
  async #databasesWith(role: string): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      `select distinct coalesce(b.datname, ${literal(sharedObjects)}) as name
        from pg_shdepend d
        left join pg_database b on b.oid = d.dbid
        where d.refclassid = 'pg_authid'::regclass
          and d.refobjid = (select oid from pg_roles where rolname = $1)
          and d.classid <> 'pg_auth_members'::regclass`,
      [role],
    );
    return rows.map(({ name }) => name);
  }

  async #databasesNamedLike(roles: readonly string[]): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      "select datname as name from pg_database where datname = any ($1)",
      [roles],
    );
    return rows.map(({ name }) => name);
  }

  async #copy(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#admin.run(
        `create database ${identifier(to)} owner ${identifier(platformRole)} template ${identifier(from)} ${this.#strategy} allow_connections false`,
        signal,
      );
    } catch (error) {
      // Postgres completes the statement of a process that has ended. The repetition drops what it made.
      throw isDuplicate(error) ? unavailable(error) : error;
    }
    // By default, everybody may connect to a new database.
    await this.#admin.script([`revoke all on database ${identifier(to)} from public`]);
  }
}

/**
 * Returns the statements that let a role own objects anywhere in a database. Without superuser, Postgres changes the owner of
 * an object only to a role that may create one in its place.
 */
const allowOwning = (database: string, owner: string): string[] => [
  `grant create on database ${identifier(database)} to ${identifier(owner)}`,
  `do ${literal(`declare schema name; begin
      for schema in select nspname from pg_namespace n
        where not has_schema_privilege(${literal(owner)}, n.oid, 'create') and pg_has_role(nspowner, 'usage')
      loop execute format('grant create on schema %I to %I', schema, ${literal(owner)}); end loop;
    end`)}`,
];
