import type { DatabaseCredential } from "@mgmt/engine";
import type { Client } from "pg";
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { AdminConnection } from "../../src/connection/admin-connection.js";
import { openDatabases } from "../../src/open-databases.js";
import type { ApiDatabase } from "../../src/repair/reconcile.js";
import { terminateStartingSessions } from "../../src/connection/role-sessions.js";
import { Cluster, adminPassword, newTenant, secondCredential } from "../../../platform/test/cluster.js";
import { RawClient, firstMessage } from "../../../platform/test/proxy/wire.js";
import { platformRole } from "../../../platform/test/installation.js";

// A cluster that others also use, in which the platform is not a superuser.

/** The role of the platform. */
const renter = "renter";
const log: string[] = [];
const cluster = new Cluster({ onLog: (line) => log.push(line) }, { user: renter });

/** Connects as the superuser, which the platform is not. */
const asAdministrator = (database = "postgres"): Promise<Client> => cluster.connectAsAdmin(database);

/** Returns everything about the databases and roles that others have made. */
const findForeign = async (): Promise<unknown[]> => {
  const admin = await asAdministrator();
  const { rows: databases } = await admin.query(
    `select d.*, s.setconfig, shobj_description(d.oid, 'pg_database') from pg_database d
      left join pg_db_role_setting s on s.setdatabase = d.oid
      where datname in ('postgres', 'template0', 'template1', 'accounts', 'db_byhand', 'spare.wheel') order by datname`,
  );
  const { rows: roles } = await admin.query(
    `select r.*, shobj_description(r.oid, 'pg_authid'),
        array(select roleid from pg_auth_members where member = r.oid order by 1) as groups
      from pg_authid r where rolname in ('postgres', 'auditor', 'clerk', 'db_byhand') order by rolname`,
  );
  await admin.end();
  expect([databases.length, roles.length]).toEqual([6, 4]);
  return [databases, roles];
};

let foreign: unknown[];

beforeAll(async () => {
  const admin = await asAdministrator();
  await admin.query("create role auditor login password 'audit'; create role db_byhand");
  await admin.query("create role clerk login in role db_byhand");
  await admin.query(`create role weak login noinherit password '${adminPassword}'`);
  await admin.query("grant connect on database records to weak");
  await admin.query("create database accounts owner auditor");
  await admin.query("create database db_byhand owner db_byhand");
  await admin.query('create database "spare.wheel" allow_connections false');
  await admin.query("alter database accounts set work_mem = '5MB'");
  foreign = await findForeign();
});

afterEach(async () => {
  expect(await findForeign()).toEqual(foreign);
});

const makeTenantWith = async (
  statements: string,
): Promise<{ id: string; credential: DatabaseCredential; client: Client }> => {
  const tenant = await cluster.makeTenant();
  const client = await cluster.connect(tenant.id, tenant.credential);
  await client.query(statements);
  return { ...tenant, client };
};

/** Objects that a role may own only if it may create others in their place. */
const objects = `
  create table notes (text text); insert into notes values ('kept');
  create function first() returns int language sql return 1;
  create schema later; alter function first() set schema later; create type later.mood as enum ('fine');
  create schema closed; create function closed.second() returns int language sql return 2;
  revoke create on schema closed from current_user;
  create publication changes for table notes;
  create extension citext;
  alter default privileges grant select on tables to public`;

const restart = async (recorded: readonly ApiDatabase[]) => {
  await cluster.stop();
  return cluster.start(recorded);
};

describe("a tenant", () => {
  it("creates and changes objects, within its limits", async () => {
    const { id, credential, client } = await makeTenantWith(objects);
    const { rows } = await client.query(
      "select current_user as name, current_setting('log_min_messages') as log",
    );
    // Before version 15, only a superuser may set it.
    expect(rows).toEqual([{ name: id, log: cluster.policy.major >= 15 ? "fatal" : "warning" }]);
    const { bytes } = await cluster.databases.readUsage(id);
    expect(bytes).toBeGreaterThan(1_000_000);
    await expect(cluster.connect(id, { ...credential, pass: "wrong" })).rejects.toMatchObject({
      code: "28P01",
    });
  });

  it("gets no privileges of others", async () => {
    const [{ id, credential, client }, other] = [await makeTenantWith("select"), await cluster.makeTenant()];
    for (const role of [renter, platformRole, other.id, other.credential.user, "postgres"]) {
      await expect(client.query(`set role "${role}"`)).rejects.toMatchObject({ code: "42501" });
      await expect(client.query(`grant "${role}" to ${id}`)).rejects.toMatchObject({ code: "42501" });
    }
    const { rows: roles } = await client.query(
      "select rolname::text as name from pg_roles where pg_has_role($1, oid, 'member') order by 1",
      [credential.user],
    );
    expect(roles).toEqual([{ name: id }, { name: "pg_database_owner" }, { name: credential.user }]);
    const { rows: databases } = await client.query(
      `select datname::text as name from pg_database
        where datallowconn and has_database_privilege(oid, 'connect') and datname not in ('accounts', 'db_byhand')`,
    );
    expect(databases).toEqual([{ name: id }]);
    await expect(
      client.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [renter]),
    ).rejects.toMatchObject({ code: "42501" });
  });

  it("cannot be a role that the platform did not make", async () => {
    const { id } = await cluster.makeTenant();
    for (const user of [renter, "clerk", "postgres"]) {
      const granted = cluster.databases.grant(id, { connectionId: "con_x", user, pass: "mine" });
      await expect(granted).rejects.toThrow("belongs to another database");
    }
  });
});

describe("a copy", () => {
  it("has the content of the backup and its tenant as the owner of all objects", async () => {
    const { id, credential, client } = await makeTenantWith(objects);
    await client.query(`alter database ${id} set work_mem = '7MB'`);
    await client.query(
      `set role none; alter role ${credential.user} in database ${id} set lock_timeout = '7s'`,
    );
    await cluster.databases.backup(id, "bkp_restored");
    await (await cluster.connect(id, credential)).query("insert into notes values ('lost')");
    await cluster.databases.restore(id, "bkp_restored");
    const restored = await cluster.connect(id, credential);
    expect((await restored.query("select text from notes")).rows).toEqual([{ text: "kept" }]);
    expect((await restored.query("show work_mem")).rows).toEqual([{ work_mem: "7MB" }]);
    expect((await restored.query("show lock_timeout")).rows).toEqual([{ lock_timeout: "7s" }]);

    const target = newTenant();
    await cluster.databases.create(target.id, { type: "database", databaseId: id }, [target.credential]);
    await cluster.databases.drop(id);
    expect(await cluster.namesIn("datname", id)).toEqual([]);
    expect(await cluster.namesIn("rolname", id)).toEqual([]);
    const clone = await cluster.connect(target.id, target.credential);
    await clone.query(
      "drop schema later, closed cascade; drop publication changes; drop extension citext; drop table notes",
    );
  });

  it("is made without the settings that only a superuser may set", async () => {
    const { id } = await cluster.makeTenant();
    const admin = await asAdministrator();
    await admin.query(`alter database ${id} set log_statement = 'none'`);
    await admin.query(`alter database ${id} set lock_timeout = '7s'`);
    log.length = 0;
    const target = newTenant();
    await cluster.databases.create(target.id, { type: "database", databaseId: id }, [target.credential]);
    const clone = await cluster.connect(target.id, target.credential);
    expect((await clone.query("show lock_timeout")).rows).toEqual([{ lock_timeout: "7s" }]);
    expect(log).toEqual([expect.stringContaining(`${target.id}: Postgres error 42501`)]);
  });
});

describe("a privilege that is revoked while the platform runs", () => {
  it("is named by the error of the work that needs it, with the statement that grants it", async () => {
    const admin = await asAdministrator();
    const { user } = cluster.policy.address;
    const { id, credential } = newTenant();
    await admin.query(`alter role ${user} nocreaterole`);
    onTestFinished(async () => void (await admin.query(`alter role ${user} createrole`)));
    const create = () => cluster.databases.create(id, { type: "empty" }, [credential]);
    await expect(create()).rejects.toMatchObject({
      code: "cluster:lacks_privileges",
      hint: expect.stringContaining(`ALTER ROLE "${user}" CREATEROLE`),
      cause: { code: "42501" },
    });
    await admin.query(`alter role ${user} createrole`);
    await create();
    await cluster.connect(id, credential);
  });
});

describe("a database to which a superuser is connected", () => {
  it("stays as it is, and is copied and dropped when the superuser has left", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await asAdministrator(id);
    const refused = { reason: "a superuser of Postgres is connected to the database" };
    await expect(cluster.databases.backup(id, "bkp_used")).rejects.toMatchObject(refused);
    await expect(cluster.databases.drop(id)).rejects.toMatchObject(refused);
    expect((await session.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await cluster.connect(id, credential);
    await session.end();
    await vi.waitFor(() => cluster.databases.backup(id, "bkp_used"));
    await cluster.databases.drop(id);
    expect(await cluster.namesIn("datname", id)).toEqual([]);
  });

  it("does not prevent a start", async () => {
    const { id } = await cluster.makeTenant();
    await asAdministrator(id);
    await cluster.closeDatabases();
    const { problems, close } = await openDatabases(cluster.policy, [], cluster.discardingAll);
    expect(problems).toContain(
      `The Postgres database ${id} could not be dropped: A superuser of Postgres is connected to the database`,
    );
    await close();
    await restart([]);
    expect(await cluster.namesIn("datname", id)).toEqual([]);
  });
});

describe("a connection", () => {
  it("gets a new password, which ends the old one and its sessions", async () => {
    const { id, credential, client } = await makeTenantWith("select");
    await cluster.databases.grant(id, { ...credential, pass: "fresh" });
    await expect(client.query("select")).rejects.toThrow();
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
    await cluster.connect(id, { ...credential, pass: "fresh" });
  });

  it("does not wait for the logins of others that started before and do not finish", async () => {
    const { id, credential } = await cluster.makeTenant();
    const pending = await RawClient.connect(cluster.server.port);
    onTestFinished(() => void pending.socket.destroy());
    const startup = firstMessage([
      ["user", credential.user],
      ["database", id],
    ]);
    // Postgres asks for the password.
    expect((await pending.send(startup).receive(1)).toString("latin1", 0, 1)).toBe("R");
    const admin = new AdminConnection(cluster.policy);
    onTestFinished(() => admin.close());
    expect(await terminateStartingSessions(admin, [credential.user], 0)).not.toEqual([]);
    expect(pending.socket.closed).toBe(false);
  });

  it.each([
    ["is full", (id: string) => `alter database ${id} connection limit 0`],
    ["closed itself to all", (id: string) => `revoke connect on database ${id} from ${id}`],
  ])("is deleted with its sessions, and its objects stay, when the database %s", async (_, close) => {
    const { id, credential, client } = await makeTenantWith("select");
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    const leaving = await cluster.connect(id, second);
    await client.query("create schema open");
    await client.query(`grant create, usage on schema open to ${second.user}`);
    await leaving.query("set role none; create function open.left() returns int language sql return 7");
    await (await asAdministrator()).query(close(id));
    await cluster.databases.revoke(id, second.connectionId);
    await expect(leaving.query("select")).rejects.toThrow();
    expect(await cluster.namesIn("rolname", second.user)).toEqual([]);
    expect((await client.query("select open.left() as left")).rows).toEqual([{ left: 7 }]);
    await client.query("drop function open.left()");
    expect((await cluster.databases.readUsage(id)).bytes).toBeGreaterThan(1_000_000);
    await client.end();
    await cluster.databases.drop(id);
  });
});

describe("a start", () => {
  it("repairs what the records contain, drops what they do not, and reports what is open to tenants", async () => {
    const [kept, forgotten, lost] = [newTenant(), newTenant(), newTenant()];
    const stranger = { connectionId: "con_stranger", user: "role_stranger", pass: "stranger" };
    await cluster.databases.create(kept.id, { type: "empty" }, [
      { ...kept.credential, pass: "not recorded" },
      stranger,
    ]);
    for (const { id, credential } of [forgotten, lost]) {
      await cluster.databases.create(id, { type: "empty" }, [credential]);
    }
    const session = await cluster.connect(kept.id, stranger);
    await session.query("set role none; create table strange ()");
    const admin = await asAdministrator();
    await admin.query(`alter database ${kept.id} allow_connections false connection limit 0`);
    await admin.query(`update pg_database set datconnlimit = -2 where datname = $1`, [lost.id]);

    const recorded = [kept, lost].map(({ id, credential }) => ({
      databaseId: id,
      credentials: [credential],
      backupIds: [],
    }));
    const { missingData, brokenIds: broken, problems } = await restart(recorded);
    expect({ missing: missingData, broken }).toEqual({
      missing: { databaseIds: [lost.id], backupIds: [] },
      broken: [],
    });
    expect(problems).toContain(
      'Database users can connect to databases of others. To prevent it, run: REVOKE CONNECT ON DATABASE "accounts", "db_byhand" FROM PUBLIC',
    );
    for (const { id } of [forgotten, lost]) expect(await cluster.namesIn("datname", id)).toEqual([]);
    expect(await cluster.namesIn("rolname", "stranger")).toEqual([]);
    const client = await cluster.connect(kept.id, kept.credential);
    await client.query("drop table strange");
  });

  it("is refused to a role that lacks privileges, with what it lacks", async () => {
    await cluster.closeDatabases();
    await expect(openDatabases(cluster.policyOf("weak"), [])).rejects.toMatchObject({
      code: "cluster:lacks_privileges",
      message: `The Postgres role weak does not have these privileges: CREATEDB, CREATEROLE, INHERIT, membership in pg_signal_backend, membership in ${platformRole}`,
    });
  });

  it("is refused to a second login of the same installation, which has not made its databases", async () => {
    await cluster.stop();
    await cluster.start([]);
    const { id, credential } = await cluster.makeTenant();
    await cluster.closeDatabases();
    const admin = await asAdministrator();
    await admin.query(
      `create role deputy login createdb createrole password '${adminPassword}'; grant pg_signal_backend to deputy;
        grant connect on database records to deputy`,
    );
    const recorded = [{ databaseId: id, credentials: [credential], backupIds: [] }];
    await expect(openDatabases(cluster.policyOf("deputy"), recorded)).rejects.toMatchObject({
      code: "cluster:lacks_privileges",
      message: `The Postgres role deputy does not have these privileges: membership in ${platformRole}`,
    });
    await restart(recorded);
    await cluster.connect(id, credential);
  });

  it("is refused after CREATEROLE was revoked, which leaves nothing of a creation that it interrupts, until it is granted again", async () => {
    await restart([]);
    const admin = await asAdministrator();
    await admin.query(`alter role ${renter} nocreaterole`);
    const [first, { id, credential }] = [newTenant(), newTenant()];
    const create = (tenant: ReturnType<typeof newTenant>): Promise<void> =>
      cluster.databases.create(tenant.id, { type: "empty" }, [tenant.credential]);
    const rejection = {
      code: "cluster:lacks_privileges",
      message: expect.stringContaining("CREATEROLE") as string,
    };
    for (const tenant of [first, { id, credential }]) {
      await expect(create(tenant)).rejects.toMatchObject(rejection);
      expect(await cluster.namesIn("datname", tenant.id)).toEqual([]);
      expect(await cluster.namesIn("rolname", tenant.id)).toEqual([]);
    }
    // The process that was refused continues.
    await admin.query(`alter role ${renter} createrole`);
    await create(first);
    await cluster.connect(first.id, first.credential);
    await cluster.databases.drop(first.id);
    await admin.query(`alter role ${renter} nocreaterole`);
    await expect(create({ id, credential })).rejects.toMatchObject(rejection);
    await cluster.closeDatabases();
    await expect(openDatabases(cluster.policy, [])).rejects.toMatchObject({
      code: "cluster:lacks_privileges",
      message: `The Postgres role ${renter} does not have these privileges: CREATEROLE`,
    });
    await admin.query(`alter role ${renter} createrole`);
    await restart([]);
    await cluster.makeTenant();
  });

  it("says how to keep tenants out of the log", async ({ skip }) => {
    if (cluster.policy.major < 15) skip("this version cannot grant the privilege");
    await cluster.stop();
    await cluster.start([]);
    const admin = await asAdministrator();
    await admin.query(`revoke set on parameter log_min_messages from ${renter}`);
    const { problems } = await restart([]);
    expect(problems).toContain(
      `Database users can write messages to the log of Postgres. To prevent it, run: GRANT SET ON PARAMETER log_min_messages TO "${renter}"`,
    );
    const { id, credential } = await cluster.makeTenant();
    const client = await cluster.connect(id, credential);
    expect((await client.query("show log_min_messages")).rows).toEqual([{ log_min_messages: "warning" }]);
    await (await asAdministrator()).query(`grant set on parameter log_min_messages to ${renter}`);
  });
});
