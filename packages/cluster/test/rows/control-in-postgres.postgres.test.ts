import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "./store-cluster.js";
import { createDatabase, openTwo } from "./stored-process.js";

const cluster = new StoreCluster();

describe("the control surface in Postgres", () => {
  it("sets a database to ready when the job that creates it, and runs already, is done", async () => {
    const databaseEngine = new ModelDatabases();
    const { first } = await openTwo(cluster, {
      databaseEngine,
      settings: { lifecycle: { provisioning: 0 } },
    });
    const held = databaseEngine.hold("create");
    const databaseId = await createDatabase(first);
    await held.begun;
    const events: string[] = [];
    const set = first.engine.states.setDatabaseStatus(databaseId, "ready").then(() => events.push("ready"));
    // Other transactions take as long as those of the call.
    for (let count = 0; count < 5; count += 1) await first.engine.snapshot();
    events.push("released");
    held.release();
    await set;
    expect(events).toEqual(["released", "ready"]);
    expect(databaseEngine.databases.size).toBe(1);
  });

  it("moves the clock of all processes, and runs the jobs on the way at their own times", async () => {
    const { first, second } = await openTwo(cluster, {
      deterministic: "clock",
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
    await expect(first.engine.clock.set("no time")).rejects.toThrow("a date and time with a time zone");
  });

  it("freezes and starts the clock of all processes", async () => {
    const { first, second } = await openTwo(cluster);
    await first.engine.clock.freeze();
    expect(await second.engine.clock.frozen).toBe(true);
    const now = await second.engine.clock.now();
    expect(await first.engine.clock.now()).toBe(now);
    await second.engine.clock.run();
    expect(await first.engine.clock.frozen).toBe(false);
  });

  it("installs faults for the requests of all processes, as often as they apply", async () => {
    const { first, second } = await openTwo(cluster);
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

  it("applies no second fault to a request that runs again because the faults have changed", async () => {
    const { first } = await openTwo(cluster);
    const { faults } = first.engine;
    await faults.add({ operation: "projects.list", latency: 500, times: 1 });
    const delayed = first.send("projects.list");
    while ((await faults.list()).length > 0) await sleep(5);
    await faults.add({ operation: "projects.list", status: 503, times: 1 });
    expect((await delayed).status).toBe(200);
    expect((await first.send("projects.list")).status).toBe(503);
  });

  it("limits the requests to all processes together, and starts counting anew with another limit", async () => {
    const { first, second } = await openTwo(cluster);
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

  it("counts requests once that arrive while another process changes the limit", async () => {
    const { first, second } = await openTwo(cluster);
    for (let change = 0; change < 5; change += 1) {
      const tokens = await Promise.all(Array.from({ length: 100 }, () => first.engine.tokens.user()));
      await first.engine.setRateLimit({ requests: 1_000, window: 60_000 });
      const sent: Promise<unknown>[] = [];
      for (const token of tokens) {
        sent.push(second.send("apps.list", { token }));
        await nextTurn();
      }
      await Promise.all(sent);
      const { headers } = await first.send("apps.list", { token: tokens[0] ?? "" });
      expect(headers["ratelimit-remaining"]).toBe("899");
    }
  });

  it("deletes windows of the rate limit that have ended", async () => {
    const { first, second, schema } = await openTwo(cluster, { deterministic: "windows" });
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
    const { first, second } = await openTwo(cluster);
    const tenant = await first.engine.createTenant("tenant");
    const token = await tenant.tokens.user();
    const { data } = await second.send("me.get", { token });
    expect(JSON.stringify(data)).toContain(tenant.workspace.id);
    const { id } = await first.engine.seed.project();
    expect((await second.send("projects.get", { path: { id }, token })).status).toBe(404);
  });

  it("creates the deleted databases that a snapshot has, and sets its passwords", async () => {
    const databaseEngine = new ModelDatabases();
    const { first, second } = await openTwo(cluster, { databaseEngine });
    const makeReady = async (): Promise<string> => {
      const databaseId = await createDatabase(first);
      await first.engine.states.setDatabaseStatus(databaseId, "ready");
      return databaseId;
    };
    const [deleted, rotated, kept] = [await makeReady(), await makeReady(), await makeReady()];
    await first.engine.states.setDatabaseStatus(await createDatabase(first), "failure");
    databaseEngine.write(kept, "kept");
    const all = () =>
      [...databaseEngine.databases.keys()].map((id) => [id, databaseEngine.passwords(id)]).sort();
    const before = all();
    const snapshot = await first.engine.snapshot();

    const { data } = await first.send("databases.get", { path: { databaseId: deleted } });
    await first.send("projects.delete", { path: { id: (data["project"] as { id: string }).id } });
    const connections = await first.send("connections.list", { query: `?databaseId=${rotated}` });
    const [{ id = "" } = {}] = connections.data as unknown as { id: string }[];
    expect((await first.send("connections.rotate", { path: { id } })).status).toBe(200);
    expect(databaseEngine.databases.size).toBe(2);
    expect(all()).not.toContainEqual(before.find(([name]) => name === rotated));

    await second.engine.load(snapshot);
    expect(all()).toEqual(before);
    expect(databaseEngine.read(kept)).toBe("kept");
    expect(await first.engine.snapshot()).toEqual(snapshot);
  });

  it("marks backups of a snapshot as failed when their data is gone, and keeps the others", async () => {
    const databaseEngine = new ModelDatabases();
    const { first, second } = await openTwo(cluster, { databaseEngine });
    const databaseId = await createDatabase(first);
    const { states } = first.engine;
    await states.setDatabaseStatus(databaseId, "ready");
    const [lost, kept, hidden] = [
      await states.backUp(databaseId),
      await states.backUp(databaseId),
      await states.backUp(databaseId),
    ];
    const snapshot = await first.engine.snapshot();
    await databaseEngine.dropBackup(lost.id);
    for (const { id } of [lost, hidden]) await states.setBackupStatus(id, "failed");

    await second.engine.load(snapshot);
    const statuses = await first.engine.read(({ store }) =>
      [lost, kept, hidden].map(({ id }) => store.backups.get(id)?.status),
    );
    expect(statuses).toEqual(["failed", "completed", "completed"]);
  });
});
