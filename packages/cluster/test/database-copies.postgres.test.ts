import { describe, expect, it } from "vitest";
import { Cluster, newTenant, secondCredential } from "../../platform/test/cluster.js";

const cluster = new Cluster();

describe("a backup", () => {
  it("restores in place: connections and credentials stay, later writes are lost", async () => {
    const { id, credential } = await cluster.makeTenant();
    const before = await cluster.connect(id, credential);
    await before.query("create table notes (text text); insert into notes values ('kept')");
    await before.query(`alter database ${id} set work_mem = '7MB'`);
    const { size } = await cluster.databases.backup(id, "bkp_place");
    expect(size).toBeGreaterThan(1_000_000);

    const later = await cluster.connect(id, credential);
    await later.query("insert into notes values ('lost')");
    const third = secondCredential(credential);
    await cluster.databases.grant(id, third);
    await cluster.databases.restore(id, "bkp_place");

    await expect(later.query("select 1")).rejects.toThrow();
    for (const known of [credential, third]) {
      const after = await cluster.connect(id, known);
      expect((await after.query("select text from notes")).rows).toEqual([{ text: "kept" }]);
      await after.query("alter table notes add column if not exists written_by text");
      expect((await after.query("show work_mem")).rows).toEqual([{ work_mem: "7MB" }]);
    }
    expect((await cluster.namesIn("datname", id)).length).toBe(2);
  });

  it("restores into another database, which then owns all objects", async () => {
    const source = await cluster.makeTenant();
    const client = await cluster.connect(source.id, source.credential);
    await client.query(
      "create table notes (text text); insert into notes values ('copied'); create extension citext",
    );
    await client.query("alter default privileges grant select on tables to public");
    await cluster.databases.backup(source.id, "bkp_other");
    const target = await cluster.makeTenant();
    await cluster.databases.restore(target.id, "bkp_other");

    const restored = await cluster.connect(target.id, target.credential);
    expect((await restored.query("select text from notes")).rows).toEqual([{ text: "copied" }]);
    await restored.query("alter table notes add column extra int; drop extension citext");
    await expect(cluster.connect(target.id, source.credential)).rejects.toMatchObject({ code: "42501" });
    const untouched = await cluster.connect(source.id, source.credential);
    await untouched.query("insert into notes values ('still mine'); create schema another");
    await cluster.databases.drop(source.id);
    await (await cluster.connect(target.id, target.credential)).query("insert into notes values ('alone')");
  });

  it("does not allow connections", async () => {
    const { id, credential } = await cluster.makeTenant();
    await cluster.databases.backup(id, "bkp_closed");
    const [name = ""] = (await cluster.namesIn("datname", id)).filter((each) => each !== id);
    const { host, port } = cluster.databases.getEndpoints(id).direct;
    await expect(
      cluster.connectTo(`postgres://${credential.user}:${credential.pass}@${host}:${String(port)}/${name}`),
    ).rejects.toMatchObject({ code: "55000" });
    await cluster.databases.dropBackup("bkp_closed");
    expect(await cluster.namesIn("datname", id)).toEqual([id]);
  });

  it("restores nothing when it does not exist", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    await expect(cluster.databases.restore(id, "bkp_unknown")).rejects.toThrow(
      "The backup bkp_unknown does not exist",
    );
    await session.query("select 1");
  });
});

describe("a clone", () => {
  it("contains the data of the source for its own connection, and leaves the source unchanged", async () => {
    const source = await cluster.makeTenant();
    const busy = await cluster.connect(source.id, source.credential);
    await busy.query("create table notes (text text); insert into notes values ('original')");
    const target = newTenant();
    await cluster.databases.create(target.id, { type: "database", databaseId: source.id }, [
      target.credential,
    ]);

    const clone = await cluster.connect(target.id, target.credential);
    await clone.query("update notes set text = 'changed'");
    const original = await cluster.connect(source.id, source.credential);
    expect((await original.query("select text from notes")).rows).toEqual([{ text: "original" }]);
    await original.query(`comment on database ${source.id} is 'still the owner'`);
    await expect(cluster.connect(source.id, target.credential)).rejects.toMatchObject({ code: "42501" });
  });

  it("fails and leaves nothing behind when its source does not exist", async () => {
    const target = newTenant();
    const made = cluster.databases.create(target.id, { type: "database", databaseId: "db_unknown" }, [
      target.credential,
    ]);
    await expect(made).rejects.toThrow("The Postgres database db_unknown does not exist");
    expect(await cluster.namesIn("datname", target.id)).toEqual([]);
  });

  it("is created while sessions write to its source", async () => {
    const source = await cluster.makeTenant();
    const client = await cluster.connect(source.id, source.credential);
    await client.query("create table notes (id int)");
    let stop = false;
    const writing = (async () => {
      for (let id = 0; !stop; id += 1) {
        const session = await cluster.connect(source.id, source.credential).catch(() => undefined);
        await session?.query("insert into notes values ($1)", [id]).catch(() => undefined);
        await session?.end().catch(() => undefined);
      }
    })();
    const target = newTenant();
    await cluster.databases.create(target.id, { type: "database", databaseId: source.id }, [
      target.credential,
    ]);
    stop = true;
    await writing;
    await (await cluster.connect(target.id, target.credential)).query("select from notes");
  });
});
