import { type Snapshot, cliClient, sampleClient } from "@mgmt/engine";
import { describe, expect, it, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess } from "./stored-process.js";

const cluster = new StoreCluster();

/** Waits for a condition that another process fulfils. */
const until = (condition: () => Promise<void>): Promise<void> =>
  vi.waitFor(condition, { timeout: 60_000, interval: 50 });

/** Opens two processes on the same records. */
const openTwo = async (options: Parameters<typeof StoredProcess.open>[2] = {}) => {
  const schema = cluster.newSchema();
  const first = await StoredProcess.open(cluster, schema, options);
  const second = await StoredProcess.open(cluster, schema, options);
  return { first, second, schema };
};

const createDatabase = async (process: StoredProcess): Promise<string> => {
  const { data } = await process.send("projects.create", { body: { name: "shop" } });
  // The contract's project has its default database.
  return (data["database"] as { id: string }).id;
};

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
    const { first } = await openTwo();
    const initial = await first.engine.snapshot();
    await first.send("projects.create", { body: { name: "kept" } });
    const snapshot = await first.engine.snapshot();
    const third = await StoredProcess.open(cluster, cluster.newSchema(), { snapshot, initial });
    expect(await third.engine.snapshot()).toEqual(snapshot);
    await third.engine.reset();
    expect(await third.engine.snapshot()).toEqual(initial);
  });

  it("is what keepAsInitial stored after a reset in any process", async () => {
    const { first, second } = await openTwo();
    await first.engine.seed.project({ name: "kept" });
    await first.engine.keepAsInitial();
    await first.engine.seed.project({ name: "lost" });
    await second.engine.reset();
    const { data } = await first.send("projects.list");
    expect((data as unknown as { name: string }[]).map(({ name }) => name)).toEqual(["kept"]);
  });

  it("is replaced for all processes: keys, cursors and rows", async () => {
    const { first, second } = await openTwo();
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

  it("refuses what is not a snapshot, and changes nothing", async () => {
    const { first } = await openTwo();
    const before = await first.engine.snapshot();
    for (const value of [null, {}, { version: 9 }, { ...before, store: {} }, { ...before, jobs: 1 }]) {
      await expect(first.engine.load(value)).rejects.toThrow(/snapshot/);
    }
    expect(await first.engine.snapshot()).toEqual(before);
  });

  it.each([
    ["a reset", async ({ engine }: StoredProcess) => engine.reset()],
    ["another state is loaded", async ({ engine }: StoredProcess, other: Snapshot) => engine.load(other)],
  ])("registers the clients that another process has ensured again after %s", async (_, enter) => {
    const { first, second } = await openTwo();
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
    const { first } = await openTwo({ settings: { lifecycle: { provisioning: 0 } } });
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
    const { first, second } = await openTwo({ databaseEngine, settings: { lifecycle: { provisioning: 0 } } });
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
    const { first, second } = await openTwo({ databaseEngine, settings: { lifecycle: { provisioning: 0 } } });
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
    const { first, second } = await openTwo({ databaseEngine, settings: { lifecycle: { provisioning: 0 } } });
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
    const { first, second } = await openTwo({ databaseEngine, settings: { lifecycle: { provisioning: 0 } } });
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
    const { first, second } = await openTwo({ databaseEngine, settings: { lifecycle: { provisioning: 0 } } });
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
    const { first, second } = await openTwo({ databaseEngine, settings: { lifecycle: { provisioning: 0 } } });
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

describe("the control surface in Postgres", () => {
  it("moves the clock of all processes, and runs the jobs on the way at their own times", async () => {
    const { first, second } = await openTwo({
      seed: "clock",
      settings: { lifecycle: { provisioning: 2_000 } },
    });
    const start = await first.engine.clock.now();
    const databaseId = await createDatabase(first);
    const status = async () => (await second.send("databases.get", { path: { databaseId } })).data["status"];
    await second.engine.clock.advance(1_999);
    expect(await status()).toBe("provisioning");
    await second.engine.clock.advance(1);
    expect(await status()).toBe("ready");
    expect(await first.engine.clock.now()).toBe(start + 2_000);
    const { data } = await first.send("projects.create", { body: { name: "later" } });
    expect(Date.parse(String(data["createdAt"]))).toBe(start + 2_000);
    await expect(first.engine.clock.advance(-1)).rejects.toThrow("at least 0");
    await expect(first.engine.clock.set("no time")).rejects.toThrow("cannot be parsed");
  });

  it("freezes and starts the clock of all processes", async () => {
    const { first, second } = await openTwo();
    await first.engine.clock.freeze();
    expect(await second.engine.clock.frozen).toBe(true);
    const now = await second.engine.clock.now();
    expect(await first.engine.clock.now()).toBe(now);
    await second.engine.clock.run();
    expect(await first.engine.clock.frozen).toBe(false);
  });

  it("installs faults for the requests of all processes, as often as they apply", async () => {
    const { first, second } = await openTwo();
    await second.send("projects.list");
    const { id } = await first.engine.faults.add({
      operation: "projects.list",
      status: 503,
      times: 2,
      skip: 1,
    });
    const statuses = [];
    for (const each of [second, first, second, first]) {
      statuses.push((await each.send("projects.list")).status);
    }
    expect(statuses).toEqual([200, 503, 503, 200]);
    expect(await second.engine.faults.remove(id)).toBe(false);
    const endless = await first.engine.faults.add({ status: 500 });
    expect(await second.engine.faults.list()).toMatchObject([{ id: endless.id, struck: 0 }]);
    await second.engine.faults.clear();
    expect((await first.send("projects.list")).status).toBe(200);
    await expect(first.engine.faults.add({ status: 1 })).rejects.toThrow(TypeError);
  });

  it("limits the requests to all processes together, and starts counting anew with another limit", async () => {
    const { first, second } = await openTwo();
    const limit = { requests: 3, window: 60_000 };
    expect(await first.engine.setRateLimit(limit)).toContain("apps.list");
    const token = await first.engine.tokens.user();
    const statuses = await Promise.all(
      [first, second, first, second, first].map(
        async (each) => (await each.send("apps.list", { token })).status,
      ),
    );
    expect(statuses.sort()).toEqual([200, 200, 200, 429, 429]);
    const refused = await second.send("apps.list", { token });
    expect(refused.headers).toMatchObject({ "ratelimit-limit": "3", "ratelimit-remaining": "0" });
    await second.engine.setRateLimit(limit);
    expect((await first.send("apps.list", { token })).headers["ratelimit-remaining"]).toBe("2");
    await first.engine.setRateLimit(null);
    expect((await second.send("apps.list", { token })).headers).not.toHaveProperty("ratelimit-limit");
    await expect(first.engine.setRateLimit({ requests: -1, window: 1 })).rejects.toThrow(TypeError);
  });

  it("deletes windows of the rate limit that have ended", async () => {
    const { first, second, schema } = await openTwo({ seed: "windows" });
    await first.engine.setRateLimit({ requests: 3, window: 1_000 });
    const expiresAt = "2100-01-01";
    for (const name of ["one", "two", "three"]) {
      const { id } = await first.engine.seed.user({ name });
      await first.engine.seed.workspace({ name, ownerId: id });
      const token = await first.engine.tokens.user({ userId: id, expiresAt });
      expect((await second.send("apps.list", { token })).status).toBe(200);
    }
    const count = async (): Promise<number> =>
      (await cluster.pool.query(`select from ${schema}.rate_windows`)).rowCount ?? 0;
    expect(await count()).toBe(3);
    await first.engine.clock.advance(1_000);
    for (let index = 0; index < 2; index += 1) await second.send("apps.list");
    expect(await count()).toBe(1);
  });

  it("creates tenants whose credentials reach their own workspace only", async () => {
    const { first, second } = await openTwo();
    const tenant = await first.engine.createTenant("tenant");
    const token = await tenant.tokens.user();
    const { data } = await second.send("me.get", { token });
    expect(JSON.stringify(data)).toContain(tenant.workspace.id);
    const { id } = await first.engine.seed.project();
    expect((await second.send("projects.get", { path: { id }, token })).status).toBe(404);
  });
});
