import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess, createDatabase } from "./stored-process.js";

const cluster = new StoreCluster();

describe("failed jobs on Postgres", () => {
  it("are repeated until they are dead, and do their work when they are retried", async () => {
    const databaseEngine = new ModelDatabases();
    const schema = cluster.newSchema();
    const options = { databaseEngine, frozen: true, settings: { lifecycle: { provisioning: 0 } } };
    const process = await StoredProcess.open(cluster, schema, options);
    const { engine } = process;
    const databaseId = await createDatabase(process);
    const body = { name: "app" };
    const created = await process.send("databases.connections.create", { path: { databaseId }, body });
    const id = String(created.data["id"]);
    const reachable = databaseEngine.fail("grant", new DatabaseUnavailableError("away"));
    expect(await process.send("connections.rotate", { path: { id } })).toMatchObject({ status: 503 });
    reachable();
    // The password of before is restored later.
    const repair = databaseEngine.fail("grant", new Error("no such role"));
    await engine.clock.advance(500);
    await vi.waitFor(async () => {
      expect(await engine.listJobs()).toMatchObject([{ attempts: 1, lastError: "Error", state: "waiting" }]);
    });
    await engine.clock.advance(3_600_000);
    const [job] = await engine.listJobs();
    expect(job).toMatchObject({
      ...{ kind: "database.login", subject: databaseId, state: "dead", attempts: 10 },
      ...{ dueAt: null, isOwnerAlive: null, lastError: "Error" },
    });
    expect(process.defects.map(String)).toContainEqual(
      expect.stringContaining(`(database.login of ${databaseId})`),
    );
    process.forget("no such role");
    process.forget("is not repeated");
    // Nothing waits for it.
    await engine.finishJobs([databaseId]);

    repair();
    const other = await StoredProcess.open(cluster, schema, { ...options, isStarted: false });
    expect(await other.engine.retryJobs()).toEqual([job?.id]);
    await vi.waitFor(async () => expect(await engine.listJobs()).toEqual([]));
  });

  it("say which process has them", async () => {
    const databaseEngine = new ModelDatabases();
    const schema = cluster.newSchema();
    const options = { databaseEngine, settings: { lifecycle: { provisioning: 0 } } };
    const first = await StoredProcess.open(cluster, schema, { ...options, isStarted: false });
    const second = await StoredProcess.open(cluster, schema, { ...options, isStarted: false });
    await createDatabase(first);
    expect(await second.engine.listJobs()).toMatchObject([
      { state: "running", isOwnerAlive: true, dueAt: 0, attempts: 0, lastError: null },
    ]);
    await first.close();
    await vi.waitFor(async () => {
      expect(await second.engine.listJobs()).toMatchObject([{ state: "waiting", isOwnerAlive: false }]);
    });
    const held = databaseEngine.hold("create");
    second.engine.start();
    await held.begun;
    expect(await second.engine.listJobs()).toMatchObject([
      { state: "running", isOwnerAlive: true, attempts: 1, lastError: "ProcessEnded" },
    ]);
    held.release();
  });
});
