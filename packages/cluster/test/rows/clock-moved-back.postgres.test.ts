import { describe, expect, it, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess } from "./stored-process.js";

const cluster = new StoreCluster();

const day = 86_400_000;

const moveBack = async ({ engine: { clock } }: StoredProcess): Promise<void> =>
  clock.set((await clock.now()) - 2 * day);

describe("a server whose clock is moved back two days", () => {
  it("continues work that a process which has ended left before", async () => {
    const databaseEngine = new ModelDatabases();
    const settings = { lifecycle: { provisioning: 0 } };
    const schema = cluster.newSchema();
    const first = await StoredProcess.open(cluster, schema, { databaseEngine, settings, isStarted: false });
    const { data: project } = await first.send("projects.create", { body: { name: "shop" } });
    // The contract's project has its default database.
    const { id: databaseId } = project["database"] as { id: string };
    await moveBack(first);
    await first.close();
    const second = await StoredProcess.open(cluster, schema, { databaseEngine, settings });
    await vi.waitFor(async () => {
      const { data } = await second.send("databases.get", { path: { databaseId } });
      expect(data["status"]).toBe("ready");
    });
  });

  it("starts a new window of the rate limit", async () => {
    const schema = cluster.newSchema();
    const first = await StoredProcess.open(cluster, schema);
    const second = await StoredProcess.open(cluster, schema);
    const limit = { requests: 1, window: 60_000, operations: ["projects.list" as const] };
    await first.engine.setRateLimit(limit);
    await first.send("projects.list");
    expect((await first.send("projects.list")).status).toBe(429);
    await moveBack(second);
    const { status, headers } = await first.send("projects.list");
    expect([status, headers["ratelimit-remaining"]]).toEqual([200, "0"]);
    expect((await second.send("projects.list")).status).toBe(429);
  });

  it("continues a window when the clock differs by less than the window", async () => {
    const schema = cluster.newSchema();
    const engine = (await StoredProcess.open(cluster, schema)).engine;
    const second = await StoredProcess.open(cluster, schema);
    await engine.setRateLimit({ requests: 1, window: 60_000, operations: ["projects.list"] });
    await second.send("projects.list");
    await engine.clock.set((await engine.clock.now()) - 30_000);
    expect((await second.send("projects.list")).status).toBe(429);
  });
});
