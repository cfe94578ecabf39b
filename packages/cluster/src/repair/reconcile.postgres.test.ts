import { describe, expect, it } from "vitest";
import type { ApiDatabase } from "./reconcile.js";
import { Cluster, newTenant, secondCredential } from "../../../platform/test/cluster.js";
import {
  installation,
  platformRole,
  staging,
  replaced,
  prepared,
} from "../../../platform/test/installation.js";

const cluster = new Cluster();

const restart = async (recorded: readonly ApiDatabase[]) => {
  await cluster.stop();
  return cluster.start(recorded);
};

const databaseNames = async (): Promise<string[]> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const { rows } = await admin.query<{ name: string }>(
    "select datname as name from pg_database where datname !~ '^(spare|template|postgres)' order by 1",
  );
  return rows.map(({ name }) => name);
};

describe("reconcile", () => {
  it("preserves the data, credentials and backups in the records", async () => {
    const { id, credential } = newTenant();
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    const before = await cluster.connect(id, credential);
    await before.query("create table kept as select 1 as id");
    await cluster.databases.backup(id, "bkp_kept");

    const { missingData } = await restart([
      { databaseId: id, credentials: [credential], backupIds: ["bkp_kept"] },
    ]);
    expect(missingData).toEqual({ databaseIds: [], backupIds: [] });
    const after = await cluster.connect(id, credential);
    expect((await after.query("select id from kept")).rows).toEqual([{ id: 1 }]);
    await cluster.databases.restore(id, "bkp_kept");
  });

  it("drops databases and backups that were removed from the records, unfinished copies, and roles without a record", async () => {
    const { id, credential } = newTenant();
    const forgotten = newTenant();
    for (const tenant of [{ id, credential }, forgotten]) {
      await cluster.databases.create(tenant.id, { type: "empty" }, [tenant.credential]);
    }
    await cluster.databases.backup(id, "bkp_forgotten");
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`create database "${staging(id)}" owner "${platformRole}" template template0`);
    await admin.query(`create database "${replaced(id)}" owner "${platformRole}" template template0`);
    await admin.query("create role left_behind; create role left_login login in role left_behind");
    await admin.query(
      `comment on role left_behind is '${installation.roleComment}'; comment on role left_login is '${installation.roleComment}'`,
    );

    await restart([{ databaseId: id, credentials: [credential], backupIds: [] }]);
    expect(await databaseNames()).toEqual([id]);
    const { rows } = await (
      await cluster.connectAsAdmin("postgres")
    ).query("select rolname as name from pg_roles where rolname !~ '^(pg_|postgres|mgmt[.])' order by 1");
    expect(rows).toEqual([{ name: id }, { name: credential.user }]);
  });

  it("sets the recorded password of every connection, and drops connections without a record", async () => {
    const { id, credential } = newTenant();
    const stranger = { connectionId: "con_stranger", user: "role_stranger", pass: "stranger" };
    await cluster.databases.create(id, { type: "empty" }, [
      { ...credential, pass: "never answered" },
      stranger,
    ]);
    const added = { connectionId: "con_added", user: "role_added", pass: "added" };
    await restart([{ databaseId: id, credentials: [credential, added], backupIds: [] }]);

    await cluster.connect(id, credential);
    await cluster.connect(id, added);
    for (const gone of [{ ...credential, pass: "never answered" }, stranger]) {
      await expect(cluster.connect(id, gone)).rejects.toMatchObject({ code: "28P01" });
    }
    await cluster.databases.revoke(id, added.connectionId);
    await expect(cluster.connect(id, added)).rejects.toMatchObject({ code: "28P01" });
  });

  it("leaves the login of a connection whose record was altered, and reports its database as broken", async () => {
    const { id, credential } = newTenant();
    const altered = secondCredential(credential);
    await cluster.databases.create(id, { type: "empty" }, [credential, altered]);
    const { brokenIds, problems } = await restart([
      {
        databaseId: id,
        credentials: [{ ...credential, pass: "fresh" }],
        alteredConnections: [{ user: altered.user, problem: "altered" }],
        backupIds: [],
      },
    ]);
    expect({ brokenIds, problems }).toEqual({ brokenIds: [id], problems: ["altered"] });
    await cluster.connect(id, { ...credential, pass: "fresh" });
    await cluster.connect(id, altered);
  });

  it("allows connections again after an interrupted copy", async () => {
    const { id, credential } = newTenant();
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    await (await cluster.connectAsAdmin("postgres")).query(`alter database ${id} allow_connections false`);
    await restart([{ databaseId: id, credentials: [credential], backupIds: [] }]);
    await cluster.connect(id, credential);
  });

  it("returns what the records contain but Postgres does not", async () => {
    const { id, credential } = newTenant();
    const recorded = { databaseId: id, credentials: [credential], backupIds: ["bkp_lost"] };
    const { missingData } = await restart([recorded]);
    expect(missingData).toEqual({ databaseIds: [id], backupIds: ["bkp_lost"] });
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    await cluster.connect(id, credential);
  });

  it("drops invalid databases of every kind, and reports those of the records as missing", async () => {
    const [lost, kept, forgotten] = [newTenant(), newTenant(), newTenant()];
    for (const { id, credential } of [lost, kept, forgotten]) {
      await cluster.databases.create(id, { type: "empty" }, [credential]);
      await cluster.databases.backup(id, `bkp_of_${id}`);
    }
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`create database "${staging(kept.id)}" owner "${platformRole}" template template0`);
    await admin.query(`create database "${prepared("invalid")}" owner "${platformRole}" template template0`);
    await admin.query(
      // What Postgres writes before it begins to drop a database.
      `update pg_database set datconnlimit = -2 where datname = any ($1)`,
      [[lost.id, forgotten.id, `${kept.id}.bkp_of_${kept.id}`, staging(kept.id), prepared("invalid")]],
    );
    const {
      missingData,
      brokenIds: broken,
      problems,
      engine,
    } = await restart([
      { databaseId: lost.id, credentials: [lost.credential], backupIds: [`bkp_of_${lost.id}`] },
      { databaseId: kept.id, credentials: [kept.credential], backupIds: [`bkp_of_${kept.id}`] },
    ]);
    expect({ missing: missingData, broken, problems }).toEqual({
      missing: { databaseIds: [lost.id], backupIds: [`bkp_of_${kept.id}`] },
      broken: [],
      problems: [],
    });
    expect(await databaseNames()).toEqual([kept.id, `${lost.id}.bkp_of_${lost.id}`].sort());
    await cluster.connect(kept.id, kept.credential);
    // A spare that is left is usable.
    for (let count = 0; count < 4; count += 1) {
      const { id, credential } = newTenant();
      await engine.create(id, { type: "empty" }, [credential]);
    }
    await engine.create(lost.id, { type: "backup", databaseId: lost.id, backupId: `bkp_of_${lost.id}` }, [
      lost.credential,
    ]);
    await cluster.connect(lost.id, lost.credential);
  });

  it("creates an owner role that is missing", async () => {
    const { id, credential } = newTenant();
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`create database ${id} owner "${platformRole}" template template0`);
    const { brokenIds: broken } = await restart([
      { databaseId: id, credentials: [credential], backupIds: [] },
    ]);
    expect(broken).toEqual([]);
    const client = await cluster.connect(id, credential);
    // Only the owner of a database may create a schema in it.
    await client.query("create schema app");
  });

  it("keeps complete spare databases and uses them, and drops unfinished ones", async () => {
    const { id, credential } = newTenant();
    // From then on, only the test changes databases.
    await cluster.closeDatabases();
    const admin = await cluster.connectAsAdmin("postgres");
    for (const name of await cluster.namesIn("datname", installation.preparedNamePrefix))
      await admin.query(`drop database "${name}"`);
    for (const name of [prepared("complete"), prepared("making.unfinished")]) {
      await admin.query(`create database "${name}" owner "${platformRole}" template template0`);
    }
    const oidOf = async (name: string): Promise<unknown[]> => {
      const client = await cluster.connectAsAdmin("postgres");
      return (await client.query("select oid from pg_database where datname = $1", [name])).rows;
    };
    const preparedOids = await oidOf(prepared("complete"));
    const { engine } = await restart([]);
    expect(await oidOf(prepared("making.unfinished"))).toEqual([]);
    await engine.create(id, { type: "empty" }, [credential]);
    expect(await oidOf(id)).toEqual(preparedOids);
  });

  it("never drops a database of Postgres itself", async () => {
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database template0 owner to "${platformRole}"`);
    const { problems } = await restart([]);
    expect(problems).toEqual([]);
    expect(await cluster.namesIn("datname", "template")).toEqual(["template0"]);
    await (await cluster.connectAsAdmin("postgres")).query("alter database template0 owner to postgres");
  });

  it("reports what Postgres does not drop, and drops the others", async () => {
    const used = ["unused", "replaced", "making"].map((kind) => `${kind}.${newTenant().id}`);
    const [first = "", second = "", last = ""] = used;
    const admin = await cluster.connectAsAdmin("postgres");
    for (const name of used) {
      await admin.query(`create database "${name}" owner "${platformRole}" template template0`);
    }
    for (const name of [first, second]) {
      const client = await cluster.connectAsAdmin(name);
      await client.query("create subscription used connection '' publication none with (connect = false)");
    }
    const { problems } = await restart([]);
    expect(problems.map((problem) => problem.replace(/:.*/, "")).sort()).toEqual(
      [first, second].map((name) => `The Postgres database ${name} could not be dropped`).sort(),
    );
    expect(await cluster.namesIn("datname", last)).toEqual([]);
    for (const name of [first, second]) {
      const client = await cluster.connectAsAdmin(name);
      await client.query("alter subscription used set (slot_name = none)");
      await client.query("drop subscription used");
    }
  });

  it("reports a database that cannot be repaired, and opens the others", async () => {
    const [stolen, kept] = [newTenant(), newTenant()];
    for (const { id, credential } of [stolen, kept]) {
      await cluster.databases.create(id, { type: "empty" }, [credential]);
    }
    const { brokenIds: broken, problems } = await restart([
      // The login of another database.
      {
        databaseId: stolen.id,
        credentials: [{ ...kept.credential, connectionId: "con_stolen" }],
        backupIds: [],
      },
      { databaseId: kept.id, credentials: [kept.credential], backupIds: [] },
    ]);
    expect(broken).toEqual([stolen.id]);
    expect(problems).toEqual([expect.stringContaining(stolen.id)]);
    await cluster.connect(kept.id, kept.credential);
  });
});
