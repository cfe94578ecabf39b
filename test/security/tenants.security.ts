import { constants, setPriority } from "node:os";
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type Resource,
  call,
  control,
  finalStatus,
  makeProject,
  query,
} from "../../packages/platform/test/api.js";
import { type DevProcess, startDev } from "./dev-process.js";
import { sessionOpener } from "./sessions.js";

let dev: DevProcess;
const open = sessionOpener();

beforeAll(async () => {
  dev = await startDev();
});
afterAll(() => dev.stop());

const endlessPath = "count(//*[count(//*[count(//*) > 0]) > 0])";
const endlessDocument = "xmlparse(document '<r>' || repeat('<a/>', 3000) || '</r>')";

/**
 * Takes hours, and looks for no signals meanwhile. It would not help to revoke functions that do the same, such as `xpath`: there is none for
 * `xmltable`, and the comparison of huge arrays by `&&`, which everybody may use, is like it.
 */
const endlessStatement = `select * from xmltable('/r' passing ${endlessDocument} columns c int path '${endlessPath}')`;

const wrongPassword = { code: "28P01" };
const lockNotAvailable = { code: "55P03" };

const nameOf = (connectionString: string): string => new URL(connectionString).pathname.slice(1);
const userOf = (connectionString: string): string => new URL(connectionString).username;

/** Creates a connection for the next steps of a test, so that the attacker's own connection stays as it is. */
const addConnection = ({ id }: Resource): Promise<Resource> =>
  call(dev.ready, "POST", `/v1/databases/${id}/connections`, { name: "another" });

const rotate = ({ id }: { id: string }): Promise<Resource> =>
  call(dev.ready, "POST", `/v1/connections/${id}/rotate`);

const deleteProject = ({ id }: Resource): Promise<Resource> =>
  call(dev.ready, "DELETE", `/v1/projects/${id}`);

const firstConnection = ({ connections }: Resource): { id: string } => {
  const [first] = connections;
  if (first === undefined) throw new Error("The database has no connection");
  return first;
};

/** The control of a statement that ignores signals: returns its process id when its session does not end although Postgres has told it to. */
const findIgnoringSessions = async (connectionString: string): Promise<number[]> => {
  const observer = await open(connectionString);
  await observer.query("set role none");
  const end = `select pid, pg_terminate_backend(pid, 1500) as ended from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`;
  return vi.waitFor(async () => {
    const { rows } = await observer.query<{ pid: number; ended: boolean }>(end);
    expect(rows).toEqual([{ pid: expect.any(Number), ended: false }]);
    return rows.map(({ pid }) => pid);
  }, 20_000);
};

describe("a tenant that tries to stall the platform", () => {
  it("does not succeed with settings of its database that break each session", async () => {
    const project = await makeProject(dev.ready);
    const { database } = project;
    const name = nameOf(database.connectionString);
    const second = await addConnection(database);
    await query(second.connectionString, "create table notes as select 'kept' as text");
    const attacker = await open(database.connectionString);
    for (const setting of [
      "local_preload_libraries = '$libdir/plugins/missing'",
      "default_transaction_read_only = on",
      "statement_timeout = 1",
      "search_path = nowhere",
    ]) {
      await attacker.query(`alter database "${name}" set ${setting}`);
    }
    // The control: the settings break the sessions of the tenant.
    await expect(query(second.connectionString, "select 1")).rejects.toThrow();

    const rotated = await rotate(second);
    expect(rotated.connectionString).not.toBe(second.connectionString);
    await call(dev.ready, "DELETE", `/v1/connections/${second.id}`);
    const backup = await control(dev.ready, "POST", `/databases/${database.id}/backups`);
    expect(backup.status).toBe("completed");
    const copy = await call(dev.ready, "POST", `/v1/projects/${project.id}/databases`, {
      source: { type: "database", databaseId: database.id },
    });
    expect(await finalStatus(dev.ready, copy.id)).toBe("ready");
    await call(dev.ready, "DELETE", `/v1/databases/${copy.id}`);
    await deleteProject(project);
  });

  it("does not succeed with a connection limit of zero, or by marking its database as a template", async () => {
    const project = await makeProject(dev.ready);
    const { database } = project;
    const name = nameOf(database.connectionString);
    const second = await addConnection(database);
    const attacker = await open(database.connectionString);
    await attacker.query(`alter database "${name}" is_template true`);
    // The control: the limit is what the attacker wants, until the guard restores it. Both statements are one transaction. Several
    // statements have several results, of which the types of the driver know nothing.
    const results: unknown = await attacker.query(
      `alter database "${name}" connection limit 0; select datconnlimit from pg_database where datname = '${name}'`,
    );
    expect(results).toMatchObject([{}, { rows: [{ datconnlimit: 0 }] }]);
    await rotate(second);
    await call(dev.ready, "DELETE", `/v1/connections/${second.id}`);
    await deleteProject(project);
  });

  it("does not stop a rotation with a transaction that keeps its own role locked", async () => {
    const { database } = await makeProject(dev.ready);
    const { connectionString } = database;
    const user = userOf(connectionString);
    const attacker = await open(connectionString);
    await attacker.query(`set role none; begin; alter role ${user} password 'kept-open'`);
    // The control: a change of the password waits for the transaction.
    const other = await open(connectionString);
    await expect(
      other.query(`set role none; set lock_timeout = '300ms'; alter role ${user} password 'other'`),
    ).rejects.toMatchObject(lockNotAvailable);

    const rotated = await rotate(firstConnection(database));
    await expect(query(connectionString, "select 1")).rejects.toMatchObject(wrongPassword);
    await expect(attacker.query("commit")).rejects.toThrow();
    expect(await query(rotated.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("does not succeed with any number of transactions that keep their databases locked", async () => {
    const projects = await Promise.all(Array.from({ length: 8 }, () => makeProject(dev.ready)));
    for (const { database } of projects) {
      const attacker = await open(database.connectionString);
      await attacker.query(
        `begin; grant connect on database "${nameOf(database.connectionString)}" to public`,
      );
    }
    // The control: a change of the database waits for the transaction.
    const { connectionString } = projects[0]?.database ?? { connectionString: "" };
    const other = await open(connectionString);
    await expect(
      other.query(
        `set lock_timeout = '300ms'; grant connect on database "${nameOf(connectionString)}" to public`,
      ),
    ).rejects.toMatchObject(lockNotAvailable);

    const backups = projects.map(({ database }) =>
      control(dev.ready, "POST", `/databases/${database.id}/backups`),
    );
    const bystander = await makeProject(dev.ready);
    await query(bystander.database.connectionString, "select 1");
    expect((await Promise.all(backups)).map(({ status }) => status)).toEqual(projects.map(() => "completed"));
    await Promise.all(projects.map(deleteProject));
  });

  it("does not succeed with a statement that ignores signals", async () => {
    const [attacking, neighbor] = [await makeProject(dev.ready), await makeProject(dev.ready)];
    const bystander = await makeProject(dev.ready);
    const attacker = await open(attacking.database.connectionString);
    let isOver = false;
    const endless = attacker.query(endlessStatement).finally(() => {
      isOver = true;
    });
    const failed = expect(endless).rejects.toThrow();
    const pids = await findIgnoringSessions(attacking.database.connectionString);
    // From now on, it only keeps a processor busy that other tests need.
    for (const pid of pids) setPriority(pid, constants.priority.PRIORITY_LOW);

    await rotate(firstConnection(bystander.database));
    await deleteProject(neighbor);
    await expect(query(neighbor.database.connectionString, "select 1")).rejects.toThrow();
    expect(isOver).toBe(false);

    // Postgres restarts meanwhile.
    await vi.waitFor(() => expect(deleteProject(attacking)).rejects.toThrow("404"), {
      timeout: 60_000,
      interval: 500,
    });
    await failed;
    // Nothing is left of what could not be dropped meanwhile.
    const { connectionString } = await addConnection(bystander.database);
    await vi.waitFor(
      async () =>
        expect(
          await query(connectionString, "select datname from pg_database where datconnlimit = -2"),
        ).toEqual([]),
      { timeout: 60_000, interval: 200 },
    );
    await deleteProject(bystander);
  });

  it("does not keep its password by a statement that ignores signals", async () => {
    const project = await makeProject(dev.ready);
    const { database } = project;
    const attacker = await open(database.connectionString);
    const failed = expect(attacker.query(endlessStatement)).rejects.toThrow();
    await findIgnoringSessions(database.connectionString);
    const rotated = await rotate(firstConnection(database));
    // Postgres restarts soon. Its process would go on until the statement ends.
    await failed;
    // The database stays closed for a while, because it has cost all others a restart of Postgres.
    await vi.waitFor(
      () =>
        expect(query(rotated.connectionString, "select")).rejects.toMatchObject({
          code: "57P03",
          message: expect.stringContaining("had to be killed"),
        }),
      { timeout: 60_000, interval: 100 },
    );
    await deleteProject(project);
  });

  it("does not succeed by granting privileges to roles of another tenant in a database that it keeps locked", async () => {
    const [victim, attacking] = [await makeProject(dev.ready), await makeProject(dev.ready)];
    const attacker = await open(attacking.database.connectionString);
    const role = userOf(victim.database.connectionString);
    await attacker.query(`create table bait (id int); grant all on bait to ${role}`);
    await attacker.query(`grant all on schema public to "${nameOf(victim.database.connectionString)}"`);
    await attacker.query("begin; lock table bait in access exclusive mode");
    // The control: revoking the privilege waits for the lock.
    const other = await open(attacking.database.connectionString);
    await expect(
      other.query(`set lock_timeout = '300ms'; revoke all on bait from ${role}`),
    ).rejects.toMatchObject(lockNotAvailable);

    await deleteProject(victim);
    await expect(query(victim.database.connectionString, "select 1")).rejects.toMatchObject(wrongPassword);
    // Nothing of the platform ran in the attacker's database: its transaction is still open.
    await attacker.query("commit");
    await deleteProject(attacking);
  });
});

describe("a tenant that grants privileges to roles of the platform or of other tenants", () => {
  /** Returns the owner and the privileges of each database, except those of the tenants `except` and spare ones. */
  const databasesExcept = async (session: Client, except: readonly string[]): Promise<object[]> => {
    const { rows } = await session.query<object>(
      `select datname, datdba::regrole::text as owner, datacl::text from pg_database
        where not starts_with(datname, 'spare.') and split_part(datname, '.', 1) <> all ($1)
          and split_part(datname, '.', 3) <> all ($1) order by 1`,
      [except],
    );
    return rows;
  };

  const databasesOf = async (session: Client, owner: string): Promise<unknown[]> => {
    const { rows } = await session.query<{ name: string }>(
      "select datname as name from pg_database d join pg_roles r on r.oid = datdba where rolname = $1",
      [owner],
    );
    return rows.map(({ name }) => name);
  };

  /** Returns the name of the role that owns what belongs to no tenant. */
  const platformRoleOf = async (session: Client): Promise<string> => {
    const { rows } = await session.query<{ name: string }>(
      "select rolname as name from pg_roles where rolname like 'mgmt.%'",
    );
    return rows[0]?.name ?? "";
  };

  it("gains nothing by clone, restore, or deletion", async () => {
    const [victim, attacking] = [await makeProject(dev.ready), await makeProject(dev.ready)];
    const victimName = nameOf(victim.database.connectionString);
    const victimLogin = userOf(victim.database.connectionString);
    await control(dev.ready, "POST", `/databases/${victim.database.id}/backups`);
    const observer = await open(victim.database.connectionString);
    await observer.query(`grant connect on database "${victimName}" to "${victimLogin}"`);

    const { database } = attacking;
    const attacker = await open(database.connectionString);
    const named = [await platformRoleOf(observer), victimName, victimLogin];
    await attacker.query("create table bait (id int)");
    for (const role of named) {
      await attacker.query(`grant all on bait to "${role}"`);
      await attacker.query(`grant all on database "${nameOf(database.connectionString)}" to "${role}"`);
      await attacker.query(`create policy "${role}" on bait to "${role}"`);
      await attacker.query(`alter default privileges grant all on tables to "${role}"`);
    }
    // The control: the attacker's catalogs name all of these roles.
    const { rows } = await attacker.query<{ name: string }>(
      `select distinct rolname as name from pg_shdepend d join pg_roles r on r.oid = d.refobjid
        where refclassid = 'pg_authid'::regclass and rolname = any ($1) and dbid = (
          select oid from pg_database where datname = current_database())`,
      [named],
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual(named.toSorted());

    const own = [nameOf(database.connectionString)];
    const before = await databasesExcept(observer, own);
    expect(before).toContainEqual(
      expect.objectContaining({ datname: expect.stringContaining(`${victimName}.`) }),
    );
    const expectNoGain = async (): Promise<void> => {
      expect(await databasesExcept(observer, own)).toEqual(before);
      for (const name of own)
        for (const owned of await databasesOf(observer, name))
          expect(owned).toMatch(new RegExp(`^(replaced[.]\\w+[.])?${name}$`));
    };

    const copy = await call(dev.ready, "POST", `/v1/projects/${attacking.id}/databases`, {
      source: { type: "database", databaseId: database.id },
    });
    expect(await finalStatus(dev.ready, copy.id)).toBe("ready");
    own.push(nameOf(copy.connectionString));
    await expectNoGain();

    const backup = await control(dev.ready, "POST", `/databases/${database.id}/backups`);
    for (const target of [database.id, copy.id]) {
      await call(dev.ready, "POST", `/v1/databases/${target}/restore`, {
        source: { type: "backup", databaseId: database.id, backupId: backup.id },
      });
      expect(await finalStatus(dev.ready, target)).toBe("ready");
      await expectNoGain();
    }

    // The attacker still owns everything in its copy.
    await query(copy.connectionString, "alter table bait add column own int");
    await call(dev.ready, "DELETE", `/v1/databases/${copy.id}`);
    await deleteProject(attacking);
    await expectNoGain();
    await observer.query("create table still_mine ()");
    await deleteProject(victim);
  });
});

/** Functions, operators, and relations with the names of those that programs of Postgres use, which record who has called them. */
const traps = `
  create table caught (what text, who text);
  create function record(what text) returns void language sql as 'insert into public.caught values (what, session_user)';
  create function format(text, name, name) returns text language plpgsql as $$ begin perform public.record('format'); return 'select'; end $$;
  create function format(text, name, text) returns text language plpgsql as $$ begin perform public.record('format'); return 'select'; end $$;
  create function quote_ident(name) returns text language plpgsql as $$ begin perform public.record('quote_ident'); return 'x'; end $$;
  create function has_schema_privilege(name, oid, text) returns boolean language plpgsql as $$ begin perform public.record('has_schema_privilege'); return false; end $$;
  create function has_schema_privilege(text, oid, text) returns boolean language plpgsql as $$ begin perform public.record('has_schema_privilege'); return false; end $$;
  create function pg_has_role(oid, text) returns boolean language plpgsql as $$ begin perform public.record('pg_has_role'); return true; end $$;
  create function equal(name, text) returns boolean language plpgsql as $$ begin perform public.record('equal'); return true; end $$;
  create function equal(oid, oid) returns boolean language plpgsql as $$ begin perform public.record('equal'); return true; end $$;
  create operator = (leftarg = name, rightarg = text, function = equal);
  create operator = (leftarg = oid, rightarg = oid, function = equal);
  create function row_of_role() returns name language plpgsql as $$ begin perform public.record('pg_roles'); return (select rolname from pg_catalog.pg_roles where rolname like 'mgmt.%'); end $$;
  create view pg_roles as select 10::oid as oid, row_of_role() as rolname;
  create view pg_namespace as select 10::oid as oid, row_of_role() as nspname, 10::oid as nspowner;
  create schema "x"" to public; create table public.caught_by_name(); --";`;

describe("a tenant that shadows what the platform could call in its database", () => {
  it("catches no session of the platform", async () => {
    const project = await makeProject(dev.ready);
    const { database } = project;
    const second = await addConnection(database);
    const attacker = await open(database.connectionString);
    await attacker.query(traps);
    await attacker.query(
      `alter database "${nameOf(database.connectionString)}" set search_path = public, pg_catalog`,
    );
    const caught = "select distinct what from public.caught order by 1";
    // The control: a session that does not qualify names, and uses the search path of the database, is caught.
    const unguarded = await open(database.connectionString);
    await unguarded.query(
      `select format('%I', 'a'::name, 'b'::name) from pg_roles where rolname = 'x'::text`,
    );
    expect((await unguarded.query(caught)).rows).toEqual([
      { what: "equal" },
      { what: "format" },
      { what: "pg_roles" },
    ]);
    await unguarded.query("delete from public.caught");

    await rotate(second);
    const backup = await control(dev.ready, "POST", `/databases/${database.id}/backups`);
    const copy = await call(dev.ready, "POST", `/v1/projects/${project.id}/databases`, {
      source: { type: "database", databaseId: database.id },
    });
    expect(await finalStatus(dev.ready, copy.id)).toBe("ready");
    await call(dev.ready, "GET", `/v1/databases/${copy.id}/usage`);
    await call(dev.ready, "POST", `/v1/databases/${copy.id}/restore`, {
      source: { type: "backup", databaseId: database.id, backupId: backup.id },
    });
    expect(await finalStatus(dev.ready, copy.id)).toBe("ready");
    await call(dev.ready, "DELETE", `/v1/connections/${second.id}`);
    for (const { connectionString } of [database, copy]) {
      expect(await query(connectionString, caught)).toEqual([]);
      expect(await query(connectionString, "select to_regclass('public.caught_by_name') as name")).toEqual([
        { name: null },
      ]);
      // What it owns in a copy, it still owns.
      await query(connectionString, "drop view public.pg_roles");
    }
    await call(dev.ready, "DELETE", `/v1/databases/${copy.id}`);
    await deleteProject(project);
  });
});

it("refuses a tenant that raises the limit of its temporary files", async () => {
  const { database } = await makeProject(dev.ready);
  const session = await open(database.connectionString);
  // The control: other limits of the session can be changed.
  await session.query("set work_mem = '64kB'");
  await expect(session.query("set temp_file_limit = -1")).rejects.toMatchObject({ code: "42501" });
  const { rows } = await session.query("show temp_file_limit");
  expect(rows).toEqual([{ temp_file_limit: "1GB" }]);
});
