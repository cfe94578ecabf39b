import { type Admin, identifier, isInvalid, literal } from "./admin.js";
import { kindOf, ownerOf } from "./names.js";
import { platformRole } from "./ownership.js";

/** Copies and drops whole databases, and drops roles with everything that depends on them. */
export class Copies {
  readonly #admin: Admin;
  readonly #strategy: string;

  constructor(admin: Admin, major: number) {
    this.#admin = admin;
    this.#strategy = major >= 15 ? "strategy file_copy" : "";
  }

  /** Creates an empty database that does not allow connections. */
  async createEmpty(name: string): Promise<void> {
    await this.#copy("template0", name, undefined);
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

  /** Copies the settings of `ALTER DATABASE … SET` and `ALTER ROLE … IN DATABASE … SET`, which `CREATE DATABASE` does not. */
  async copySettings(from: string, to: string, which: string): Promise<void> {
    const oid = (name: string): string => `(select oid from pg_database where datname = ${literal(name)})`;
    await this.#admin.script([
      "begin",
      "set local allow_system_table_mods = on",
      `delete from pg_db_role_setting where setdatabase = ${oid(to)} and ${which}`,
      `insert into pg_db_role_setting
        select ${oid(to)}, setrole, setconfig from pg_db_role_setting where setdatabase = ${oid(from)} and ${which}`,
      "commit",
    ]);
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
        where d.refclassid = 'pg_authid'::regclass and b.datname = $1 and r.rolname <> $2
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
        ...roles.flatMap((role) => [
          `reassign owned by ${identifier(role)} to ${identifier(owner)}`,
          `drop owned by ${identifier(role)}`,
        ]),
        // REASSIGN OWNED also changes the owner of databases, so the same transaction restores them.
        ...(await this.#databasesNamedLike(roles)).flatMap((role) => [
          `alter database ${identifier(role)} owner to ${identifier(role)}`,
          `grant all on database ${identifier(role)} to ${identifier(role)}`,
        ]),
      ]);
    } finally {
      await this.#admin.whileUnused(name, () =>
        this.#admin.script([`alter database ${identifier(name)} allow_connections false`]),
      );
    }
  }

  /** Drops a database of any kind and its sessions. Does nothing when it does not exist. */
  async drop(name: string): Promise<void> {
    const [found] = await this.#admin.query<{ template: boolean; invalid: boolean }>(
      `select datistemplate as template, ${isInvalid} as invalid from pg_database where datname = $1`,
      [name],
    );
    if (found === undefined) return;
    // A tenant may have marked its database as a template, which cannot be dropped. An invalid database is not one any
    // more, and cannot be altered.
    if (found.template && !found.invalid)
      await this.#admin.script([`alter database ${identifier(name)} is_template false`]);
    await this.#admin.run(`drop database if exists ${identifier(name)} with (force)`);
  }

  /**
   * Drops a role with its sessions and privileges. The owner of each database becomes the owner of the role's objects in
   * it.
   */
  async dropRole(role: string): Promise<void> {
    await this.#admin.script([`alter role ${identifier(role)} nologin`]);
    await this.#admin.endSessions("usename = $1", role);
    for (const database of await this.#databasesWith(role)) await this.#removeFrom(role, database);
    await this.#admin.script([`drop role ${identifier(role)}`]);
  }

  async #removeFrom(role: string, database: string): Promise<void> {
    const kind = kindOf(database);
    const owner = ownerOf(database);
    const statements = [
      ...(kind === "system" ? [] : [`reassign owned by ${identifier(role)} to ${identifier(owner)}`]),
      `drop owned by ${identifier(role)}`,
    ];
    if (kind !== "backup") {
      await this.#admin.scriptWithin(database, statements);
      return;
    }
    await this.#admin.script([`alter database ${identifier(database)} allow_connections true`]);
    try {
      await this.#admin.scriptWithin(database, statements);
    } finally {
      await this.#admin.script([`alter database ${identifier(database)} allow_connections false`]);
    }
  }

  /** Returns the databases with objects or privileges of the role; `postgres` is returned for privileges on databases. */
  async #databasesWith(role: string): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      `select distinct coalesce(b.datname, 'postgres') as name
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
    await this.#admin.run(
      `create database ${identifier(to)} owner ${identifier(platformRole)} template ${identifier(from)} ${this.#strategy} allow_connections false`,
      signal,
    );
    // By default, everybody may connect to a new database.
    await this.#admin.script([`revoke all on database ${identifier(to)} from public`]);
  }
}
