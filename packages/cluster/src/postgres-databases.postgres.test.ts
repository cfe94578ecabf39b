import { describe, expect, it } from "vitest";
import { DatabaseDroppedError } from "./postgres-databases.js";
import { installation } from "../../platform/test/installation.js";
import { Cluster, newTenant, secondCredential } from "../../platform/test/cluster.js";

const cluster = new Cluster();

describe("a login whose deletion was not recorded", () => {
  it("is usable again, also when another tenant has granted it privileges", async () => {
    const [{ id, credential }, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const granting = await cluster.connect(other.id, other.credential);
    await granting.query(`create table shared (); grant select on shared to ${credential.user}`);
    await cluster.databases.revoke(id, credential.connectionId);
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
    await cluster.databases.grant(id, credential);
    const client = await cluster.connect(id, credential);
    const { rows } = await client.query("select current_user::text as name");
    expect(rows).toEqual([{ name: id }]);
    await cluster.databases.revoke(id, credential.connectionId);
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
  });
});

describe("a new database", () => {
  it("accepts the credentials of its connection once it is created", async () => {
    const { id, credential } = await cluster.makeTenant();
    const client = await cluster.connect(id, credential);
    const { rows } = await client.query("select current_database() as name, 1 as one");
    expect(rows).toEqual([{ name: id, one: 1 }]);
  });

  it("refuses connections before it is created", async () => {
    const { id, credential } = newTenant();
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
  });

  it("refuses a wrong password", async () => {
    const { id, credential } = await cluster.makeTenant();
    await expect(cluster.connect(id, { ...credential, pass: "wrong" })).rejects.toMatchObject({
      code: "28P01",
    });
  });

  it("is created once when requested repeatedly, with the credentials of the last request", async () => {
    const { id, credential } = await cluster.makeTenant();
    const client = await cluster.connect(id, credential);
    await client.query("create table kept (id int)");
    const changed = { ...credential, pass: "changed" };
    await cluster.databases.create(id, { type: "empty" }, [changed, secondCredential(credential)]);
    await (await cluster.connect(id, changed)).query("select from kept");
    await (await cluster.connect(id, secondCredential(credential))).query("select from kept");
  });

  it("is created also when another process has taken the spare databases", async () => {
    const admin = await cluster.connectAsAdmin("postgres");
    for (const name of await cluster.preparedDatabases())
      await admin.query(`alter database "${name}" rename to "taken ${name}"`);
    const { id, credential } = await cluster.makeTenant();
    await cluster.connect(id, credential);
  });

  it("has the file that saves its first session from reading the catalogs", async () => {
    // The first database of a cluster has none, because no session has been in it.
    await cluster.makeTenant();
    const { id } = await cluster.makeTenant();
    const admin = await cluster.connectAsAdmin("postgres");
    const { rows } = await admin.query<{ size: string | null }>(
      `select (pg_stat_file(format('base/%s/pg_internal.init', oid), true)).size
        from pg_database where datname = $1`,
      [id],
    );
    expect(Number(rows[0]?.size)).toBeGreaterThan(0);
  });

  it("is created concurrently with many others", async () => {
    const tenants = await Promise.all(Array.from({ length: 8 }, () => cluster.makeTenant()));
    for (const { id, credential } of tenants) await cluster.connect(id, credential);
  });

  it("gets a unique name when its id is not a valid name in Postgres", async () => {
    const { credential } = newTenant();
    const id = `db_${"x".repeat(80)}`;
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    await cluster.connect(id, credential);
    expect(cluster.databases.getEndpoints(id).direct.database).not.toBe(
      cluster.databases.getEndpoints(`${id}y`).direct.database,
    );
  });

  it("refuses a user of another database", async () => {
    const first = await cluster.makeTenant();
    const second = newTenant();
    const stolen = { ...second.credential, user: first.credential.user };
    await expect(cluster.databases.create(second.id, { type: "empty" }, [stolen])).rejects.toThrow();
    await expect(
      cluster.databases.grant(first.id, { connectionId: "con_x", user: "postgres", pass: "mine" }),
    ).rejects.toThrow("belongs to another database");
    await cluster.connect(first.id, first.credential);
    expect(await cluster.namesIn("datname", second.id)).toEqual([]);
  });
});

describe("the connections of one database", () => {
  it("use and change objects that another connection created", async () => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    const first = await cluster.connect(id, credential);
    await first.query("create table shared (id int); insert into shared values (1)");
    const other = await cluster.connect(id, second);
    await other.query("alter table shared add column name text");
    await other.query("insert into shared values (2, 'two')");
    expect((await first.query("select count(*)::int as rows from shared")).rows).toEqual([{ rows: 2 }]);
  });

  it("may create trusted extensions and schemas", async () => {
    const { id, credential } = await cluster.makeTenant();
    const client = await cluster.connect(id, credential);
    await client.query(
      "create extension citext; create schema app; drop schema public cascade; create schema public",
    );
  });

  it("act as the owner again after a pool has reset the session", async () => {
    const { id, credential } = await cluster.makeTenant();
    const client = await cluster.connect(id, credential);
    await client.query("discard all");
    expect((await client.query("select current_user as name")).rows).toEqual([{ name: id }]);
  });
});

describe("creating databases while Postgres cannot", () => {
  it("fails for each caller that waits for an empty database, and succeeds later", async () => {
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query("alter database template0 rename to away");
    // One of them is the template of the others.
    for (const name of await cluster.namesIn("datname", installation.preparedNamePrefix))
      await admin.query(`drop database if exists "${name}"`);
    try {
      const created = Array.from({ length: 8 }, () => cluster.makeTenant());
      const results = await Promise.allSettled(created);
      expect(results.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
    } finally {
      await admin.query("alter database away rename to template0");
      await admin.end();
    }
    const { id, credential } = await cluster.makeTenant();
    await cluster.connect(id, credential);
  });
});

describe("rotating a connection", () => {
  it("ends the old password and its sessions immediately", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    await cluster.databases.grant(id, { ...credential, pass: "fresh" });
    await expect(session.query("select 1")).rejects.toThrow();
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
    await cluster.connect(id, { ...credential, pass: "fresh" });
  });

  it("does not end the sessions of other connections", async () => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    const session = await cluster.connect(id, second);
    await cluster.databases.grant(id, { ...credential, pass: "fresh" });
    await session.query("select 1");
  });

  it("drops the old user when the new credential has another one", async () => {
    const { id, credential } = await cluster.makeTenant();
    await cluster.databases.grant(id, { ...credential, user: `${credential.user}_new` });
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
    expect(await cluster.namesIn("rolname", credential.user)).toEqual([`${credential.user}_new`]);
  });
});

describe("deleting a connection", () => {
  it("ends its credentials and sessions, and leaves its objects to the other connections", async () => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    const leaving = await cluster.connect(id, credential);
    // Created outside the shared role, and named in privileges and settings.
    await leaving.query("set role none; create table own (id int); insert into own values (7)");
    await leaving.query(
      `grant select on own to ${second.user}; alter default privileges grant select on tables to public`,
    );
    await cluster.databases.backup(id, "bkp_own");

    // The backup has ended the first session.
    const session = await cluster.connect(id, credential);
    await cluster.databases.revoke(id, credential.connectionId);
    await expect(session.query("select 1")).rejects.toThrow();
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
    expect(await cluster.namesIn("rolname", credential.user)).toEqual([second.user]);
    const staying = await cluster.connect(id, second);
    expect((await staying.query("select id from own")).rows).toEqual([{ id: 7 }]);
    await staying.query("drop table own");
    await cluster.databases.restore(id, "bkp_own");
    await (await cluster.connect(id, second)).query("drop table own");
  });

  it("does nothing for a connection that does not exist", async () => {
    const { id, credential } = await cluster.makeTenant();
    await cluster.databases.revoke(id, "con_unknown");
    await cluster.connect(id, credential);
  });
});

describe("deleting a database", () => {
  it("waits for a copy of it that is in progress", async () => {
    const source = await cluster.makeTenant();
    const clone = newTenant();
    const copied = cluster.databases.create(clone.id, { type: "database", databaseId: source.id }, [
      clone.credential,
    ]);
    const dropped = cluster.databases.drop(source.id);
    await Promise.all([copied, dropped]);
    await cluster.connect(clone.id, clone.credential);
    expect(await cluster.namesIn("datname", source.id)).toEqual([]);
  });

  it("uses nothing once it is dropped", async () => {
    const { id } = await cluster.makeTenant();
    expect((await cluster.databases.readUsage(id)).bytes).toBeGreaterThan(0);
    await cluster.databases.drop(id);
    expect(await cluster.databases.readUsage(id)).toEqual({ bytes: 0, operations: 0 });
  });

  it("removes data, roles, sessions and backups", async () => {
    const { id, credential } = await cluster.makeTenant();
    await cluster.databases.backup(id, "bkp_gone");
    const session = await cluster.connect(id, credential);
    await cluster.databases.drop(id);
    await expect(session.query("select 1")).rejects.toThrow();
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
    expect(await cluster.namesIn("datname", id)).toEqual([]);
    expect(await cluster.namesIn("rolname", id)).toEqual([]);
    await cluster.databases.drop(id);
    await cluster.databases.dropBackup("bkp_gone");
  });

  it("aborts the copy that creates it", async () => {
    const source = await cluster.makeTenant();
    const client = await cluster.connect(source.id, source.credential);
    await client.query(
      "create table large as select generate_series(1, 400000) as id, repeat('x', 100) as text",
    );
    const target = newTenant();
    const made = cluster.databases.create(target.id, { type: "database", databaseId: source.id }, [
      target.credential,
    ]);
    const outcome = expect(made).rejects.toThrow(DatabaseDroppedError);
    await cluster.databases.drop(target.id);
    await outcome;
    expect(await cluster.namesIn("datname", target.id)).toEqual([]);
    expect(await cluster.namesIn("rolname", target.id)).toEqual([]);
    await cluster.connect(source.id, source.credential);
  });

  it("succeeds although its tenant has marked it as a template, and others have privileges in it", async () => {
    const { id, credential } = await cluster.makeTenant();
    const neighbour = await cluster.makeTenant();
    const client = await cluster.connect(id, credential);
    await client.query(`alter database ${id} is_template true; create table open_to_others (id int)`);
    await client.query(`grant select on open_to_others to ${neighbour.credential.user}, ${neighbour.id}`);
    await client.query(`grant connect on database ${id} to ${neighbour.credential.user}`);
    await client.query("begin; lock table open_to_others");
    await cluster.databases.drop(neighbour.id);
    expect(await cluster.namesIn("datname", neighbour.id)).toEqual([]);
    await expect(cluster.connect(neighbour.id, neighbour.credential)).rejects.toMatchObject({
      code: "28P01",
    });
    // The platform runs nothing in the database of another tenant, whose lock is still held.
    await client.query("commit");
    await cluster.databases.drop(id);
    expect(await cluster.namesIn("datname", id)).toEqual([]);
    expect(await cluster.namesIn("rolname", neighbour.credential.user)).toEqual([]);
    expect(await cluster.namesIn("rolname", neighbour.id)).toEqual([]);
  });
});
