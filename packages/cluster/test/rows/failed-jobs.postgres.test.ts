import { describe, expect, it, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess, createDatabase } from "./stored-process.js";

const cluster = new StoreCluster();

describe("failed jobs on Postgres", () => {
  it("are repeated until they are dead, and make the database ready when they are retried", async () => {
    const databaseEngine = new ModelDatabases();
    const repair = databaseEngine.fail("create");
    const schema = cluster.newSchema();
    const options = { databaseEngine, frozen: true, settings: { lifecycle: { provisioning: 0 } } };
    const process = await StoredProcess.open(cluster, schema, options);
    const { engine } = process;
    const databaseId = await createDatabase(process);
    await vi.waitFor(async () => {
      expect(await engine.listJobs()).toMatchObject([{ attempts: 1, lastError: "Error", state: "waiting" }]);
    });
    await engine.clock.advance(3_600_000);
    const [job] = await engine.listJobs();
    expect(job).toMatchObject({
      ...{ kind: "database.provision", subject: databaseId, state: "dead", attempts: 10 },
      ...{ dueAt: null, isOwnerAlive: null, lastError: "Error" },
    });
    expect(process.defects.map(String)).toContainEqual(
      expect.stringContaining(`(database.provision of ${databaseId})`),
    );
    process.forget("cannot create");
    process.forget("is not repeated");
    // Nothing waits for it.
    await engine.finishJobs([databaseId]);
    const getStatus = async (): Promise<unknown> =>
      (await process.send("databases.get", { path: { databaseId } })).data["status"];
    expect(await getStatus()).toBe("failure");

    repair();
    const other = await StoredProcess.open(cluster, schema, { ...options, isStarted: false });
    expect(await other.engine.retryJobs()).toEqual([job?.id]);
    await vi.waitFor(async () => expect(await getStatus()).toBe("ready"));
    await engine.idle();
    expect(await engine.listJobs()).toEqual([]);
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
