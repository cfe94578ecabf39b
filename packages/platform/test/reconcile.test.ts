import { describe, expect, it } from "vitest";
import type { RecordedDatabase } from "../src/databases/reconcile.js";
import { Cluster, newTenant } from "./cluster.js";

const cluster = new Cluster();

const restart = async (recorded: readonly RecordedDatabase[]) => {
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

    const { missing } = await restart([
      { databaseId: id, credentials: [credential], backupIds: ["bkp_kept"] },
    ]);
    expect(missing).toEqual({ databaseIds: [], backupIds: [] });
    const after = await cluster.connect(id, credential);
    expect((await after.query("select id from kept")).rows).toEqual([{ id: 1 }]);
    await cluster.databases.restore(id, "bkp_kept");
  });

  it("drops databases, backups, unfinished copies and roles without a record", async () => {
    const { id, credential } = newTenant();
    const forgotten = newTenant();
    for (const tenant of [{ id, credential }, forgotten]) {
      await cluster.databases.create(tenant.id, { type: "empty" }, [tenant.credential]);
    }
    await cluster.databases.backup(id, "bkp_forgotten");
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`create database "making.${id}" template template0`);
    await admin.query(`create database "replaced.${id}" template template0`);
    await admin.query("create role left_behind; create role left_login login in role left_behind");

    await restart([{ databaseId: id, credentials: [credential], backupIds: [] }]);
    expect(await databaseNames()).toEqual([id]);
    const { rows } = await (
      await cluster.connectAsAdmin("postgres")
    ).query("select rolname as name from pg_roles where rolname !~ '^(pg_|postgres)' order by 1");
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
    const { missing } = await restart([recorded]);
    expect(missing).toEqual({ databaseIds: [id], backupIds: ["bkp_lost"] });
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    await cluster.connect(id, credential);
  });
});
