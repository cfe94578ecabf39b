import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { openRecords } from "./open-records.js";
import { type Loss, LossyProxy } from "../../test/rows/lossy-proxy.js";
import { createTestKeys } from "../../test/rows/record-keys.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess, createDatabase } from "../../test/rows/stored-process.js";

const cluster = new StoreCluster();
let schema: string;
let proxy: LossyProxy;
let others: StoredProcess;

/** @param patience how long a commit waits to learn whether it took effect, in milliseconds. */
const openBehindProxy = async (
  patience: number,
  options: Parameters<typeof StoredProcess.open>[2] = {},
): Promise<StoredProcess> => {
  const records = await openRecords(
    { ...cluster.address, port: proxy.port },
    { schema, keys: createTestKeys(), commitCheckTimeoutMs: patience },
  );
  onTestFinished(() => records.close());
  return StoredProcess.open(cluster, schema, { records, isStarted: false, ...options });
};

beforeEach(async () => {
  proxy = await LossyProxy.start(cluster.address.port);
  schema = cluster.newSchema();
  others = await StoredProcess.open(cluster, schema, { isStarted: false });
  return () => proxy.close();
});

afterEach(() => expect(proxy.hasLost).toBe(true));

const namesOf = async (): Promise<unknown> => {
  const { data } = await others.send("projects.list");
  return (data as unknown as { name: string }[]).map(({ name }) => name);
};

const body = { name: "shop", createDatabase: false };

describe("a connection that is lost during a commit", () => {
  it.each<Loss>(["request", "response"])("creates a row once when the %s was lost", async (loss) => {
    const process = await openBehindProxy(60_000);
    await process.send("projects.list");
    proxy.loseNextCommit(loss);
    const { status, data } = await process.send("projects.create", { body });
    expect(status).toBe(201);
    expect(await namesOf()).toEqual(["shop"]);
    expect((await others.send("projects.get", { path: { id: data.id } })).status).toBe(200);
  });

  it.each<Loss>(["request", "response"])("updates a row when the %s was lost", async (loss) => {
    const process = await openBehindProxy(60_000);
    const { data } = await process.send("projects.create", { body });
    proxy.loseNextCommit(loss);
    const path = { id: data.id };
    const { status } = await process.send("projects.update", { path, body: { name: "renamed" } });
    expect(status).toBe(200);
    expect(await namesOf()).toEqual(["renamed"]);
  });

  it.each<Loss>(["request", "response"])("updates a secret when the %s was lost", async (loss) => {
    const process = await openBehindProxy(60_000);
    const databaseId = await createDatabase(process);
    const [connection] = await process.engine.read(({ store }) => store.connections.list({ databaseId }));
    const id = connection?.id ?? "";
    proxy.loseNextCommit(loss);
    await process.engine.write([], ({ store }) => store.connections.update(id, { pass: "changed" }));
    expect(await others.engine.read(({ store }) => store.connections.get(id)?.pass)).toBe("changed");
  });

  it.each<Loss>(["request", "response"])("deletes a row when the %s was lost", async (loss) => {
    const process = await openBehindProxy(60_000);
    const { data } = await process.send("projects.create", { body });
    proxy.loseNextCommit(loss);
    expect((await process.send("projects.delete", { path: { id: data.id } })).status).toBe(204);
    expect(await namesOf()).toEqual([]);
  });

  it("responds with 503 without Retry-After when the outcome is unknown, so that no client repeats a POST", async () => {
    const process = await openBehindProxy(200);
    await process.send("projects.list");
    proxy.loseNextCommit("response", { rejects: true });
    const { status, code, headers } = await process.send("projects.create", { body });
    expect([status, code]).toEqual([503, "internal:unavailable"]);
    expect(headers).not.toHaveProperty("retry-after");
    expect(await namesOf()).toEqual(["shop"]);
  });

  it("responds with 503 without Retry-After when the outcome of a PATCH is unknown", async () => {
    const process = await openBehindProxy(200);
    const { data } = await process.send("projects.create", { body });
    proxy.loseNextCommit("response", { rejects: true });
    const renamed = { path: { id: data.id }, body: { name: "renamed" } };
    const { status, code, headers } = await process.send("projects.update", renamed);
    expect([status, code, headers["retry-after"]]).toEqual([503, "internal:unavailable", undefined]);
    expect(await namesOf()).toEqual(["renamed"]);
  });
});

describe("a deletion of a connection that is answered with 503", () => {
  const settings = { lifecycle: { provisioning: 0 } };

  it.each([
    { commit: "request", loss: "request", isDeleted: false },
    { commit: "request", loss: "response", isDeleted: true },
    { commit: "result", loss: "request", isDeleted: true },
    { commit: "result", loss: "response", isDeleted: true },
  ] as const)(
    "leaves row and login, or neither, when the $loss of the commit of its $commit was lost",
    async ({ commit, loss, isDeleted }) => {
      const databaseEngine = new ModelDatabases();
      const options = { databaseEngine, settings, isStarted: true };
      const other = await StoredProcess.open(cluster, schema, options);
      const cut = await openBehindProxy(200, options);
      const project = await other.send("projects.create", { body: { name: "shop" } });
      const databaseId = (project.data["database"] as { id: string }).id;
      const isIdle = async (): Promise<void> => expect((await other.engine.snapshot()).jobs).toEqual([]);
      await vi.waitFor(isIdle, { interval: 20 });
      const path = { databaseId };
      const { data } = await other.send("databases.connections.create", { path, body: { name: "app" } });
      // Loads what later requests do not load again.
      await cut.send("projects.list");
      const held = databaseEngine.hold("revoke");
      if (commit === "request") {
        proxy.loseNextCommit(loss, { rejects: true });
        held.release();
      }
      const deleted = cut.send("connections.delete", { path: { id: data.id } });
      if (commit === "result") {
        await held.begun;
        proxy.loseNextCommit(loss, { rejects: true });
        held.release();
      }
      expect((await deleted).status).toBe(503);
      await vi.waitFor(isIdle);
      const found = await other.send("connections.get", { path: { id: data.id } });
      expect(found.status).toBe(isDeleted ? 404 : 200);
      expect(Object.keys(databaseEngine.passwords(databaseId) ?? {}).includes(data.id)).toBe(!isDeleted);
    },
  );
});
