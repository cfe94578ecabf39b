import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess } from "./stored-process.js";

const cluster = new StoreCluster();

/** Opens a process with a database, and records that another process has open. */
const openPlace = async (isMade: boolean) => {
  const schema = cluster.newSchema();
  const models = new ModelDatabases();
  const settings = { lifecycle: { provisioning: 0 } };
  const process = await StoredProcess.open(cluster, schema, { databaseEngine: models, settings });
  const other = await cluster.openRecords(schema);
  onTestFinished(() => other.close());
  const held = isMade ? undefined : models.hold("create");
  const { data } = await process.send("projects.create", { body: { name: "shop" } });
  const { id: databaseId } = data["database"] as { id: string };
  const readStatus = async (): Promise<unknown> =>
    (await process.send("databases.get", { path: { databaseId } })).data["status"];
  if (isMade) await vi.waitFor(async () => expect(await readStatus()).toBe("ready"), { interval: 20 });
  const owner = await other.sessions.getCurrentId();
  /** Gives the only job to the other process, whose session lives. */
  const takeJob = async (): Promise<void> => {
    const { rowCount } = await cluster.pool.query(
      `update ${schema}.jobs set doc = doc || jsonb_build_object('owner', $1::text)`,
      [owner],
    );
    expect(rowCount).toBe(1);
  };
  const listOwners = async (): Promise<unknown[]> =>
    (await cluster.pool.query(`select doc->>'owner' as owner from ${schema}.jobs`)).rows;
  return { process, models, databaseId, held, owner, readStatus, takeJob, listOwners };
};

/** Does work once, before a transaction commits that changes rows of this table. */
const beforeCommit = ({ records }: StoredProcess, table: string, work: () => Promise<void>): void => {
  const begin = records.begin.bind(records);
  let isDone = false;
  vi.spyOn(records, "begin").mockImplementation((options) => {
    const transaction = begin(options);
    const commit = transaction.commit.bind(transaction);
    return Object.assign(transaction, {
      commit: async (changes: Parameters<typeof commit>[0]) => {
        if (!isDone && changes.some((change) => change.table === table)) {
          isDone = true;
          await work();
        }
        return commit(changes);
      },
    });
  });
};

// The session of the process lives, as that of a server does which others have fenced, but whose sessions they could not end yet.
describe("a job that another process has taken", () => {
  it.each(["before the result is stored", "while the result is stored"])(
    "is not completed: %s",
    async (when) => {
      const { process, held, owner, readStatus, takeJob, listOwners } = await openPlace(false);
      await held?.begun;
      if (when.startsWith("before")) await takeJob();
      else beforeCommit(process, "databases", takeJob);
      held?.release();
      await process.engine.stop();
      expect(await readStatus()).toBe("provisioning");
      expect(await listOwners()).toEqual([{ owner }]);
    },
  );

  it("makes no change of its own, and the request says that the outcome is unknown", async () => {
    const { process, models, databaseId, owner, takeJob, listOwners } = await openPlace(true);
    const path = { databaseId };
    const held = models.hold("grant");
    const response = process.send("databases.connections.create", { path, body: { name: "app" } });
    await held.begun;
    beforeCommit(process, "connections", takeJob);
    held.release();
    expect(await response).toMatchObject({ status: 503 });
    await process.engine.stop();
    const { data } = await process.send("databases.connections.list", { path });
    expect(data).toHaveLength(1);
    expect(await listOwners()).toContainEqual({ owner });
  });

  it("stores no size of a backup", async () => {
    const { process, models, databaseId, owner, takeJob, listOwners } = await openPlace(true);
    const held = models.hold("backup");
    const backup = process.engine.states.backUp(databaseId);
    await held.begun;
    await takeJob();
    held.release();
    expect(await backup).toMatchObject({ status: "running" });
    await process.engine.stop();
    const { data } = await process.send("databases.backups.list", { path: { databaseId } });
    expect(data).toMatchObject([{ status: "running" }]);
    expect(await listOwners()).toEqual([{ owner }]);
  });
});
