import { DatabaseUnavailableError } from "@mgmt/engine";
import { type Client, DatabaseError } from "pg";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { DatabaseCopier } from "./database-copier.js";
import { Cluster, secondCredential } from "../../../platform/test/cluster.js";
import { observeAdmin } from "../../test/observed-admin.js";
import { makeAdmin, running } from "../../test/sessions.js";
import { installation, platformRole, staging, prepared } from "../../../platform/test/installation.js";

const cluster = new Cluster();
let observer: Client;

beforeAll(async () => {
  observer = await cluster.connectAsAdmin("postgres");
});

const makeCopies = (): DatabaseCopier => new DatabaseCopier(makeAdmin(cluster));

const observe = (before: Parameters<typeof observeAdmin>[1]): DatabaseCopier =>
  new DatabaseCopier(observeAdmin(cluster, before));

interface State {
  open: boolean;
  /** Whether all roles may connect. */
  isPublic: boolean;
  owner: string;
}

const stateOf = async (name: string): Promise<State | undefined> => {
  const { rows } = await observer.query<State>(
    `select datallowconn as open, has_database_privilege('public', oid, 'connect') as "isPublic",
      datdba::regrole::text as owner from pg_database where datname = $1`,
    [name],
  );
  return rows[0];
};

const closed: State = { open: false, isPublic: false, owner: `"${platformRole}"` };

/** Removes a database after the test. */
const dropLater = (name: string): string => {
  onTestFinished(() => makeCopies().drop(name));
  return name;
};

describe("a new empty database", () => {
  it("is closed to all and belongs to the platform", async () => {
    const name = dropLater(prepared("empty"));
    await makeCopies().createEmpty(prepared("making.empty"), name);
    expect(await stateOf(name)).toEqual(closed);
    expect(await stateOf(prepared("making.empty"))).toBeUndefined();
  });

  it("is copied as files, because this server does not wait for the disk", async ({ skip }) => {
    if (cluster.policy.major < 15) skip("this version always copies files");
    const name = dropLater(prepared("files"));
    const statements: string[] = [];
    const copies = observe((statement) => {
      if (statement.startsWith("create database")) statements.push(statement);
      return Promise.resolve();
    });
    await copies.createEmpty(prepared("making.files"), name);
    expect(statements).toEqual([expect.stringContaining(" strategy file_copy ")]);
  });
});

describe("a copy of a database", () => {
  it("is closed to all and belongs to the platform", async () => {
    const { id } = await cluster.makeTenant();
    await makeCopies().copy(id, dropLater(`${id}.bkp_closed`));
    expect(await stateOf(`${id}.bkp_closed`)).toEqual(closed);
  });

  it("is made while its source accepts no connections, which it does again afterwards", async () => {
    const { id } = await cluster.makeTenant();
    const states: (boolean | undefined)[] = [];
    const copies = observe(async (statement) => {
      if (statement.startsWith("create database")) states.push((await stateOf(id))?.open);
    });
    await copies.copy(id, dropLater(`${id}.bkp_open`));
    expect(states).toEqual([false]);
    expect((await stateOf(id))?.open).toBe(true);
  });

  it("leaves a database closed that must stay so", async () => {
    const { id } = await cluster.makeTenant();
    const copies = makeCopies();
    copies.mustStayClosed = (name) => name === id;
    await copies.copy(id, dropLater(`${id}.bkp_kept`));
    expect((await stateOf(id))?.open).toBe(false);
  });

  it("leaves a backup that it is made of closed", async () => {
    const { id } = await cluster.makeTenant();
    const copies = makeCopies();
    await copies.copy(id, dropLater(`${id}.bkp_source`));
    await copies.copy(`${id}.bkp_source`, dropLater(staging(id)));
    expect(await stateOf(`${id}.bkp_source`)).toEqual(closed);
  });

  it("can be repeated later when another statement has just made a database of this name", async () => {
    const [{ id }, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const copies = makeCopies();
    await copies.copy(id, dropLater(`${id}.bkp_made`));
    await expect(copies.copy(id, `${id}.bkp_made`)).rejects.toBeInstanceOf(DatabaseUnavailableError);

    const name = dropLater(`${id}.bkp_race`);
    const results = await Promise.allSettled([copies.copy(id, name), copies.copy(other.id, name)]);
    const errors = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason as unknown] : [],
    );
    expect(errors).toEqual([expect.any(DatabaseUnavailableError)]);
  });

  it("fails when Postgres refuses it, and its source accepts connections again", async () => {
    const { id } = await cluster.makeTenant();
    await expect(makeCopies().copy(id, "")).rejects.toMatchObject({ code: "42601" });
    expect((await stateOf(id))?.open).toBe(true);
  });

  it.each([
    ["through the log when it is small", 0, "copy", ["wal_log"]],
    ["file by file when it is large", 16_000, "copy", ["file_copy"]],
    [
      "file by file when it is large and cloned, after a checkpoint",
      16_000,
      "clone",
      ["checkpoint", "file_copy"],
    ],
  ])("is made %s, where Postgres has the choice", async (_, rowCount, method, expected) => {
    const { id, credential } = await cluster.makeTenant();
    const { major } = cluster.policy;
    if (major >= 18) {
      await observer.query(`alter role postgres set file_copy_method = ${method}`);
      onTestFinished(async () => void (await observer.query("alter role postgres reset file_copy_method")));
    }
    const session = await cluster.connect(id, credential);
    // Two kilobytes for each row.
    await session.query(
      `create table notes as select repeat('x', 1990) from generate_series(1, ${String(rowCount)})`,
    );
    const steps: string[] = [];
    const copies = observe(async (statement) => {
      if (!/^(create database|checkpoint)/.test(statement)) return;
      steps.push(/ strategy (\w+)/.exec(statement)?.[1] ?? statement.replace(/ .*/, ""));
      expect((await stateOf(id))?.open).toBe(statement === "checkpoint");
    });
    await copies.copy(id, dropLater(`${id}.bkp_copied`));
    const strategies = major >= 15 ? expected.filter((step) => step !== "checkpoint") : ["create"];
    expect(steps).toEqual(major >= 18 ? expected : strategies);
  });
});

describe("a copy that gets another owner", () => {
  it("has no objects or privileges of the source, stays closed, and changes nothing else", async () => {
    const [source, target] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const session = await cluster.connect(source.id, source.credential);
    const { user } = source.credential;
    await session.query(`create table notes (); grant select on notes to "${user}"`);
    await session.query(`alter default privileges grant select on tables to "${user}"`);
    await session.query(`revoke temporary on database ${source.id} from "${source.id}"`);
    const acl = "select datname, datdba, datacl::text from pg_database where datname in ($1, $2) order by 1";
    const { rows: before } = await observer.query(acl, [source.id, target.id]);

    const name = dropLater(staging(target.id));
    const copies = makeCopies();
    await copies.copy(source.id, name);
    await copies.transferOwnership(name, source.id, target.id);

    const { rows: roles } = await observer.query(
      `select distinct refobjid::regrole::text as role from pg_shdepend
        where refclassid = 'pg_authid'::regclass and dbid = (select oid from pg_database where datname = $1)`,
      [name],
    );
    expect(roles).toEqual([{ role: target.id }]);
    expect(await stateOf(name)).toEqual(closed);
    expect((await observer.query(acl, [source.id, target.id])).rows).toEqual(before);
    await cluster.connect(source.id, source.credential);
  });
});

describe("objects that change their owner", () => {
  /** Makes a login that owns tables, and copies with which all tenants may have 100 locks. */
  const makeTables = async (count: number) => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    await (await cluster.connect(id, credential)).query(`grant create on schema public to "${second.user}"`);
    const session = await cluster.connect(id, second);
    const create = "execute format('create table table_%s ()', n)";
    await session.query(
      `set role none; do $$ begin for n in 1..${String(count)} loop ${create}; end loop; end $$`,
    );
    const admin = makeAdmin(cluster);
    admin.limits = { ...admin.limits, locks: 100 };
    const mark = async () => {
      const { rows } = await observer.query<{ mark: string }>(
        "select shobj_description(oid, 'pg_authid') as mark from pg_roles where rolname = $1",
        [second.user],
      );
      return rows.map((row) => row.mark);
    };
    return { id, user: second.user, copies: new DatabaseCopier(admin), mark };
  };

  it("may be many in one transaction at a time", async () => {
    const { id, user, copies, mark } = await makeTables(30);
    await copies.dropRole(user, id);
    expect(await mark()).toEqual([]);
  });

  it("are given away in several transactions in a copy, which nobody else can connect to", async () => {
    const [{ id, user, copies }, target] = [await makeTables(70), await cluster.makeTenant()];
    const session = await cluster.connectAsAdmin(id);
    await session.query(
      `set role "${user}"; create sequence "odd ""name"; create view v as select 1; create materialized view m as select 1;
       create table parts (id serial primary key, n int generated always as identity, t text) partition by range (id);
       create table part partition of parts default; create index on part (t)`,
    );
    await session.end();
    const name = dropLater(`making.${target.id}`);
    await copies.copy(id, name);
    await copies.transferOwnership(name, id, target.id);
    expect(await stateOf(name)).toEqual(closed);
    await observer.query(`alter database "${name}" allow_connections true`);
    const copy = await cluster.connectAsAdmin(name);
    const { rows } = await copy.query(
      "select distinct relowner::regrole::text as owner from pg_class where relnamespace = 'public'::regnamespace",
    );
    expect(rows).toEqual([{ owner: target.id }]);
    await copy.end();
  });

  it("are not given away in a copy when their policies are so many that the others would have no locks", async () => {
    const [{ id, user, copies }, target] = [await makeTables(1), await cluster.makeTenant()];
    const session = await cluster.connectAsAdmin(id);
    const create = `execute format('create policy policy_%s on table_1 to %I', n, '${user}')`;
    await session.query(`do $$ begin for n in 1..70 loop ${create}; end loop; end $$`);
    await session.end();
    const name = dropLater(`making.${target.id}`);
    await copies.copy(id, name);
    await expect(copies.transferOwnership(name, id, target.id)).rejects.toThrow("too many objects");
    expect(await stateOf(name)).toEqual(closed);
  });

  it("stay as they are when they are so many that the others would have no locks", async () => {
    const { id, user, copies, mark } = await makeTables(70);
    await copies.dropRole(user, id);
    expect(await mark()).toEqual([installation.retiredMark]);
    // The control: one transaction locks all of them.
    const superuser = await cluster.connectAsAdmin(id);
    await superuser.query(`begin; reassign owned by "${user}" to "${id}"`);
    const { rows } = await superuser.query<{ count: number }>(
      "select count(*)::integer from pg_locks where pid = pg_backend_pid() and mode = 'AccessExclusiveLock'",
    );
    expect(rows[0]?.count).toBeGreaterThanOrEqual(70);
    await superuser.end();
  });
});

describe("a database that is dropped", () => {
  it("may be missing", async () => {
    await makeCopies().drop("missing");
  });

  it("may be a template, which its tenant cannot make of it again meanwhile", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    await observer.query(`alter database ${id} is_template true`);
    const states: (boolean | undefined)[] = [];
    const copies = observe(async (statement) => {
      if (statement.startsWith("drop database")) states.push((await stateOf(id))?.open);
    });
    await copies.drop(id);
    expect(states).toEqual([false]);
    expect(await stateOf(id)).toBeUndefined();
    await expect(session.query("select")).rejects.toThrow();
  });

  it("takes a turn of the statements that drop databases only when a session that ignores its end is gone", async () => {
    const tenant = await cluster.makeTenant();
    const session = await cluster.connect(tenant.id, tenant.credential);
    const endless = session.query("do $$ begin loop end loop; end $$").catch(() => undefined);
    const [pid = 0] = await running(observer, "loop end loop");
    process.kill(pid, "SIGSTOP");
    const statements: string[] = [];
    const dropped = observe((statement) => {
      statements.push(statement);
    }).drop(tenant.id);
    const looks = () => statements.filter((statement) => statement.includes("pg_terminate_backend"));
    const drops = () => statements.filter((statement) => statement.startsWith("drop database"));
    await vi.waitFor(() => expect(looks().length).toBeGreaterThan(3));
    expect(drops()).toEqual([]);
    process.kill(pid, "SIGCONT");
    await Promise.all([dropped, endless]);
    expect(drops()).toHaveLength(1);
  });

  it("may be invalid, because its creation or deletion was interrupted", async () => {
    const { id } = await cluster.makeTenant();
    await observer.query("update pg_database set datconnlimit = -2 where datname = $1", [id]);
    await makeCopies().drop(id);
    expect(await stateOf(id)).toBeUndefined();
  });
});

describe("a login that is dropped", () => {
  const roleOf = async (name: string) => {
    const { rows } = await observer.query<{ login: boolean; mark: string; groups: string }>(
      `select rolcanlogin as login, shobj_description(oid, 'pg_authid') as mark,
        (select count(*) from pg_auth_members where member = r.oid) as groups from pg_roles r where rolname = $1`,
      [name],
    );
    return rows[0];
  };

  /** Makes a tenant whose second login has a session. */
  const makeTwoLogins = async () => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    return { id, credential, user: second.user, session: await cluster.connect(id, second) };
  };

  it("loses its sessions, and other logins keep theirs", async () => {
    const { id, credential, user, session } = await makeTwoLogins();
    const other = await cluster.connect(id, credential);
    await makeCopies().dropRole(user, id);
    await expect(session.query("select")).rejects.toThrow();
    expect(await roleOf(user)).toBeUndefined();
    await other.query("select");
  });

  it("loses privileges that another tenant gave it on its database", async () => {
    const { id, user } = await makeTwoLogins();
    const other = await cluster.makeTenant();
    const session = await cluster.connect(other.id, other.credential);
    await session.query(`grant connect on database ${other.id} to "${user}"`);
    await makeCopies().dropRole(user, id);
    expect(await roleOf(user)).toBeUndefined();
  });

  it("remains without rights and settings while another tenant's database has privileges for it, which are not touched", async () => {
    const { id, user, session: own } = await makeTwoLogins();
    await own.query(`set role none; alter role "${user}" set work_mem = '5MB'`);
    await own.query(`alter role "${user}" in database postgres set work_mem = '5MB'`);
    const other = await cluster.makeTenant();
    const session = await cluster.connect(other.id, other.credential);
    await session.query(`create table shared (); grant select on shared to "${user}"`);
    const copies = makeCopies();
    await copies.dropRole(user, id);
    expect(await roleOf(user)).toEqual({ login: false, mark: installation.retiredMark, groups: "0" });
    const acl = "select from pg_class where relname = 'shared' and position($1 in relacl::text) > 0";
    expect((await session.query(acl, [user])).rowCount).toBe(1);
    const settings = "select from pg_db_role_setting where setrole = $1::regrole";
    expect((await session.query(settings, [user])).rowCount).toBe(0);

    await copies.dropRetiredRoles();
    expect(await roleOf(user)).toBeDefined();
    await copies.drop(other.id);
    await copies.dropRetiredRoles();
    expect(await roleOf(user)).toBeUndefined();
  });

  /** Statements of the platform give up each lock at once. */
  const impatient = () =>
    observe((statement) =>
      /^drop (role|owned)/.test(statement) ? "set local lock_timeout = '1ms'" : undefined,
    );

  it("remains without rights while a session that the platform cannot end locks it, and is dropped later", async () => {
    const { id, user } = await makeTwoLogins();
    const holder = await cluster.connectAsAdmin("postgres");
    await holder.query(`begin; create table locked (); grant select on locked to "${user}"`);
    const copies = impatient();
    await copies.dropRole(user, id);
    expect(await roleOf(user)).toEqual({ login: false, mark: installation.retiredMark, groups: "0" });

    await copies.dropRetiredRoles();
    expect(await roleOf(user)).toBeDefined();
    await holder.query("rollback");
    await copies.dropRetiredRoles();
    expect(await roleOf(user)).toBeUndefined();
  });

  it("remains without rights while a session that the platform cannot end locks a database on which it has privileges", async () => {
    const { id, user } = await makeTwoLogins();
    const other = await cluster.makeTenant();
    const holder = await cluster.connectAsAdmin("postgres");
    await holder.query(`grant connect on database ${other.id} to "${user}"`);
    await holder.query(`begin; alter database ${other.id} connection limit 5`);
    const copies = impatient();
    await copies.dropRole(user, id);
    expect(await roleOf(user)).toEqual({ login: false, mark: installation.retiredMark, groups: "0" });

    await holder.query("rollback");
    await copies.drop(other.id);
    await copies.dropRetiredRoles();
    expect(await roleOf(user)).toBeUndefined();
  });

  it.each(["an open database", "a closed database", "a backup"])(
    "gives its objects in %s to the owner, and leaves it as it is",
    async (which) => {
      const { id, credential, user, session } = await makeTwoLogins();
      const owner = await cluster.connect(id, credential);
      await owner.query(`grant create on schema public to "${user}"`);
      await session.query(`set role "${user}"; create table mine ()`);
      const name = which === "a backup" ? dropLater(`${id}.bkp_objects`) : id;
      if (which === "a closed database") await observer.query(`alter database ${id} allow_connections false`);
      if (which === "a backup") await makeCopies().copy(id, name);
      await makeCopies().dropRole(user, id);
      expect((await stateOf(name))?.open).toBe(which === "an open database");
      expect(await roleOf(user)).toBeUndefined();

      await observer.query(`alter database "${name}" allow_connections true`);
      const within = await cluster.connectAsAdmin(name);
      const { rows } = await within.query("select tableowner from pg_tables where tablename = 'mine'");
      expect(rows).toEqual([{ tableowner: id }]);
      await within.end();
    },
  );

  it.each([
    ["cannot be reached", "select pg_terminate_backend(pg_backend_pid())", DatabaseUnavailableError],
    ["has an internal error", "do $$ begin raise 'internal' using errcode = 'XX001'; end $$", DatabaseError],
  ])("keeps its mark when Postgres %s, so that the removal is repeated", async (_, failing, expected) => {
    const { id, user } = await makeTwoLogins();
    const copies = observe((statement) => (statement.startsWith("drop role") ? failing : undefined));
    await expect(copies.dropRole(user, id)).rejects.toBeInstanceOf(expected);
    expect((await roleOf(user))?.mark).toContain(`${installation.mark} connection`);
  });
});
