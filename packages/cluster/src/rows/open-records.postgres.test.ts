import { type Snapshot, cliClient, sampleClient } from "@mgmt/engine";
import { describe, expect, it, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess, createDatabase, openTwo } from "../../test/rows/stored-process.js";

const cluster = new StoreCluster();

/** Waits for a condition that another process fulfils. */
const until = (condition: () => Promise<void>): Promise<void> => vi.waitFor(condition);

describe("the state of a server in Postgres", () => {
  it("is created once, and is there for the next process", async () => {
    const schema = cluster.newSchema();
    const first = await StoredProcess.open(cluster, schema);
    expect(first.engine.isNew).toBe(true);
    const token = await first.engine.tokens.user();
    const { data } = await first.send("projects.create", { body: { name: "shop" } });
    await first.close();
    const second = await StoredProcess.open(cluster, schema);
    expect(second.engine.isNew).toBe(false);
    const path = { id: data.id };
    expect((await second.send("projects.get", { path, token })).status).toBe(200);
  });

  it("is created by one of several processes that start at the same time", async () => {
    const schema = cluster.newSchema();
    const all = await Promise.all([1, 2, 3].map(() => StoredProcess.open(cluster, schema)));
    expect(all.filter(({ engine }) => engine.isNew)).toHaveLength(1);
    const [token = ""] = await Promise.all(all.map(({ engine }) => engine.tokens.user()));
    for (const each of all) expect((await each.send("me.get", { token })).status).toBe(200);
  });

  it("is initialized from a snapshot, and a reset restores another one", async () => {
    const { first } = await openTwo(cluster);
    const initial = await first.engine.snapshot();
    await first.send("projects.create", { body: { name: "kept" } });
    const snapshot = await first.engine.snapshot();
    const third = await StoredProcess.open(cluster, cluster.newSchema(), { snapshot, initial });
    expect(await third.engine.snapshot()).toEqual(snapshot);
    await third.engine.reset();
    expect(await third.engine.snapshot()).toEqual(initial);
  });

  it("is what saveStateAsInitial stored after a reset in any process", async () => {
    const { first, second } = await openTwo(cluster);
    await first.engine.seed.project({ name: "kept" });
    await first.engine.saveStateAsInitial();
    await first.engine.seed.project({ name: "lost" });
    await second.engine.reset();
    const { data } = await first.send("projects.list");
    expect((data as unknown as { name: string }[]).map(({ name }) => name)).toEqual(["kept"]);
  });

  it("is replaced for all processes: keys, cursors and rows", async () => {
    const { first, second } = await openTwo(cluster);
    const other = await StoredProcess.open(cluster, cluster.newSchema());
    await other.engine.seed.project({ name: "loaded" });
    const left = await second.engine.tokens.user();
    await second.send("me.get", { token: left });
    const snapshot = JSON.parse(JSON.stringify(await other.engine.snapshot())) as Snapshot;
    await first.engine.load(snapshot);
    expect(await second.engine.snapshot()).toEqual(snapshot);
    expect((await second.send("me.get", { token: left })).status).toBe(401);
    const entered = await other.engine.tokens.user();
    expect((await second.send("me.get", { token: entered })).status).toBe(200);
  });

  it("has the workspace of each database", async () => {
    const { first, second } = await openTwo(cluster);
    const databaseId = await createDatabase(first);
    const workspace = await first.engine.read(({ store }) => store.databases.get(databaseId)?.workspaceId);
    expect(workspace).toMatch(/^wksp_/);
    expect((await second.records.readWorkspaces()).get(databaseId)).toBe(workspace);
  });

  it("refuses what is not a snapshot, and changes nothing", async () => {
    const { first } = await openTwo(cluster);
    const before = await first.engine.snapshot();
    for (const value of [null, {}, { version: 9 }, { ...before, store: {} }, { ...before, jobs: 1 }]) {
      await expect(first.engine.load(value as Snapshot)).rejects.toThrow(/snapshot/);
    }
    expect(await first.engine.snapshot()).toEqual(before);
  });

  it.each([
    ["a reset", async ({ engine }: StoredProcess) => engine.reset()],
    ["another state is loaded", async ({ engine }: StoredProcess, other: Snapshot) => engine.load(other)],
  ])("registers the clients that another process has ensured again after %s", async (_, enter) => {
    const { first, second } = await openTwo(cluster);
    const other = await first.engine.snapshot();
    await first.engine.oauth.ensurePublicClient({ id: "program", redirectUris: cliClient.redirectUris });
    await first.engine.oauth.registerClient({ id: "passing", redirectUris: cliClient.redirectUris });
    // The second time, the client is there only because of the first.
    await enter(second, other);
    await enter(second, other);
    const clients = await first.engine.read(({ store }) => store.clients.list({}));
    expect(clients.map(({ id }) => id)).toEqual([cliClient.id, sampleClient.id, "itgr_program"]);
    expect(clients[2]).toMatchObject({ redirectUris: cliClient.redirectUris, secretHash: null });
  });
});

describe("jobs in Postgres", () => {
  it("make a database ready, and leave no row", async () => {
    const { first } = await openTwo(cluster, { settings: { lifecycle: { provisioning: 0 } } });
    const path = { databaseId: await createDatabase(first) };
    await until(async () => {
      const { data } = await first.send("databases.get", { path });
      expect(data["status"]).toBe("ready");
      expect((await first.engine.snapshot()).jobs).toEqual([]);
    });
  });

  it("are run by another process when that of the request has ended", async () => {
    const databaseEngine = new ModelDatabases();
    const settings = { lifecycle: { provisioning: 0 } };
    const schema = cluster.newSchema();
    const first = await StoredProcess.open(cluster, schema, { databaseEngine, settings, isStarted: false });
    const databaseId = await createDatabase(first);
    const second = await StoredProcess.open(cluster, schema, { databaseEngine, settings });
    expect(databaseEngine.databases.has(databaseId)).toBe(false);
    await first.close();
    await until(async () => {
      const { data } = await second.send("databases.get", { path: { databaseId } });
      expect(data["status"]).toBe("ready");
    });
    expect(databaseEngine.databases.has(databaseId)).toBe(true);
  });

  it("are not taken from a process that is alive", async () => {
    const databaseEngine = new ModelDatabases();
    const { first, second } = await openTwo(cluster, {
      databaseEngine,
      settings: { lifecycle: { provisioning: 0 } },
    });
    const held = databaseEngine.hold("create");
    const calls = vi.spyOn(databaseEngine, "create");
    const databaseId = await createDatabase(first);
    await held.begun;
    // Looks at the same job as a regular look does, and waits for it.
    second.engine.start();
    const set = second.engine.clock.set(await second.engine.clock.now());
    await second.send("databases.get", { path: { databaseId } });
    held.release();
    await set;
    await until(async () => {
      const { data } = await second.send("databases.get", { path: { databaseId } });
      expect(data["status"]).toBe("ready");
    });
    expect(calls).toHaveBeenCalledTimes(1);
  });

  it("are done when the clock of another process has moved past them", async () => {
    const databaseEngine = new ModelDatabases();
    const { first, second } = await openTwo(cluster, {
      databaseEngine,
      settings: { lifecycle: { provisioning: 0 } },
    });
    const held = databaseEngine.hold("create");
    const databaseId = await createDatabase(first);
    await held.begun;
    const advanced = second.engine.clock.advance(1);
    held.release();
    await advanced;
    expect(await second.engine.read(({ store }) => store.databases.get(databaseId)?.status)).toBe("ready");
  });

  it("are done when the clock has moved past them, also those of a process that has ended", async () => {
    const databaseEngine = new ModelDatabases();
    const settings = { lifecycle: { provisioning: 0 } };
    const schema = cluster.newSchema();
    const first = await StoredProcess.open(cluster, schema, { databaseEngine, settings, isStarted: false });
    const second = await StoredProcess.open(cluster, schema, { databaseEngine, settings, isStarted: false });
    const databaseId = await createDatabase(first);
    await first.close();
    await second.engine.clock.advance(1);
    expect(await second.engine.read(({ store }) => store.databases.get(databaseId)?.status)).toBe("ready");
  });

  it("stop creating a database that another process deletes", async () => {
    const databaseEngine = new ModelDatabases();
    const { first, second } = await openTwo(cluster, {
      databaseEngine,
      settings: { lifecycle: { provisioning: 0 } },
    });
    const held = databaseEngine.hold("create");
    const path = { databaseId: await createDatabase(first) };
    await held.begun;
    const { data } = await second.send("databases.get", { path });
    const { id } = data["project"] as { id: string };
    expect((await second.send("projects.delete", { path: { id } })).status).toBe(204);
    expect((await first.send("databases.get", { path })).status).toBe(404);
    held.release();
    await first.engine.idle();
    expect(databaseEngine.databases.size).toBe(0);
  });

  it("stop creating a database that a reset in another process removes", async () => {
    const databaseEngine = new ModelDatabases();
    const { first, second } = await openTwo(cluster, {
      databaseEngine,
      settings: { lifecycle: { provisioning: 0 } },
    });
    const held = databaseEngine.hold("create");
    await createDatabase(first);
    await held.begun;
    const reset = second.engine.reset();
    await first.engine.idle();
    held.release();
    await reset;
    expect(databaseEngine.databases.size).toBe(0);
  });

  it.each([
    ["a reset", async ({ engine }: StoredProcess) => engine.reset()],
    ["another state is loaded", async ({ engine }: StoredProcess, other: Snapshot) => engine.load(other)],
  ])("leave no database that another process creates just before %s replaces the rows", async (_, enter) => {
    const databaseEngine = new ModelDatabases();
    const { first, second } = await openTwo(cluster, {
      databaseEngine,
      settings: { lifecycle: { provisioning: 0 } },
    });
    const other = await first.engine.snapshot();
    const replaceAll = first.records.replaceAll.bind(first.records);
    vi.spyOn(first.records, "replaceAll").mockImplementation(async (next) => {
      await second.engine.states.setDatabaseStatus(await createDatabase(second), "ready");
      expect(databaseEngine.databases.size).toBe(1);
      return replaceAll(next);
    });
    await enter(first, other);
    expect(databaseEngine.databases.size).toBe(0);
  });

  it("fail the request that waits for them, and leave the rows as they were", async () => {
    const databaseEngine = new ModelDatabases();
    const { first, second } = await openTwo(cluster, {
      databaseEngine,
      settings: { lifecycle: { provisioning: 0 } },
    });
    const databaseId = await createDatabase(first);
    await first.engine.states.setDatabaseStatus(databaseId, "ready");
    const repair = databaseEngine.fail("drop");
    const project = (await first.send("databases.get", { path: { databaseId } })).data["project"] as {
      id: string;
    };
    const { status } = await first.send("projects.delete", { path: { id: project.id } });
    expect(status).toBe(500);
    repair();
    expect((await second.send("projects.get", { path: { id: project.id } })).status).toBe(200);
    expect((await second.send("projects.delete", { path: { id: project.id } })).status).toBe(204);
    expect((await first.send("projects.get", { path: { id: project.id } })).status).toBe(404);
    // The first failure is a defect of the database engine, which the process reports.
    first.forget("The database engine cannot drop");
  });
});
