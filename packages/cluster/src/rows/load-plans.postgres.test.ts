import type { TransactionOptions, Transaction } from "@mgmt/engine/internal";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import type { OpenRecords } from "./open-records.js";
import { countTrips } from "../../test/rows/count-trips.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess } from "../../test/rows/stored-process.js";

/** Opens a process, and notes the locks of the transactions that change rows. */
const openLogged = async (
  schema: string,
  { records, databaseEngine }: { records: OpenRecords; databaseEngine: ModelDatabases },
  locks: (readonly string[])[],
): Promise<{ engine: StoredProcess["engine"]; send: StoredProcess["send"] }> => {
  const begin = (access: TransactionOptions): Transaction => {
    if (access.mode === "write") locks.push(access.locks);
    return records.begin(access);
  };
  const opened = await StoredProcess.open(cluster, schema, {
    records: { ...records, begin },
    databaseEngine,
    settings: { lifecycle: { provisioning: 0 } },
  });
  onTestFinished(() => records.close());
  return { engine: opened.engine, send: opened.send.bind(opened) };
};

const cluster = new StoreCluster();
let process: StoredProcess;
let trips: string[];

beforeEach(async () => {
  const records = await cluster.openRecords(cluster.newSchema());
  const counted = countTrips(records);
  trips = counted.trips;
  process = await StoredProcess.open(cluster, cluster.newSchema(), {
    records: counted,
    isStarted: false,
  });
  onTestFinished(() => records.close());
});

const tripsOf = async (...request: Parameters<StoredProcess["send"]>): Promise<number> => {
  const before = trips.length;
  const { status } = await process.send(...request);
  expect(status).toBeLessThan(300);
  return trips.length - before;
};

describe("a request on Postgres", () => {
  it("takes a few round trips, however long its list is", async () => {
    const body = { name: "shop", logicalId: "shop" };
    const { data: project } = await process.send("projects.create", { body });
    for (let index = 0; index < 20; index += 1) {
      const { status } = await process.send("databases.create", {
        body: { projectId: project.id, region: "us-east-1" },
      });
      expect(status).toBe(201);
    }
    const path = { id: project.id };
    const { id: databaseId } = project["database"] as { id: string };
    expect({
      "projects.get": await tripsOf("projects.get", { path }),
      "projects.list": await tripsOf("projects.list"),
      "projects.create": await tripsOf("projects.create", {
        body: { name: "another", logicalId: "another" },
      }),
      "projects.databases.create": await tripsOf("projects.databases.create", {
        path: { projectId: project.id },
        body: { name: "another" },
      }),
      "databases.get": await tripsOf("databases.get", { path: { databaseId } }),
      "databases.list of 21": await tripsOf("databases.list", { query: "?limit=50" }),
    }).toEqual({
      "projects.get": 1,
      "projects.list": 1,
      "projects.create": 3,
      "projects.databases.create": 2,
      "databases.get": 1,
      "databases.list of 21": 2,
    });
  });

  it("stores and returns any text", async () => {
    const name = "\u0000 \u0001 '\\ 🐘";
    const body = { name, createDatabase: false };
    const { status, data } = await process.send("projects.create", { body });
    if (status !== 201) return expect(status).toBe(422);
    const found = await process.send("projects.get", { path: { id: data.id } });
    expect(found.data["name"]).toBe(name);
  });
});

describe("a job on Postgres", () => {
  it("reads what the creation of a database needs in one trip", async () => {
    const records = await cluster.openRecords(cluster.newSchema());
    onTestFinished(() => records.close());
    const counted = countTrips(records);
    const databaseEngine = new ModelDatabases();
    const opened = await StoredProcess.open(cluster, cluster.newSchema(), {
      records: counted,
      databaseEngine,
      settings: { lifecycle: { provisioning: 0 } },
    });
    const body = { name: "shop", createDatabase: false };
    const { data: project } = await opened.send("projects.create", { body });
    const held = databaseEngine.hold("create");
    const before = counted.trips.length;
    await opened.send("projects.databases.create", { path: { projectId: project.id }, body: {} });
    await held.begun;
    const [first] = counted.trips.slice(before).filter((trip) => trip.includes('"databases"'));
    held.release();
    expect(first).toContain('"server"');
    expect(first).toContain('"connections"');
  });

  it("locks the workspace that its project has moved to", async () => {
    const schema = cluster.newSchema();
    const records = await cluster.openRecords(schema);
    const locks: (readonly string[])[] = [];
    const databaseEngine = new ModelDatabases();
    const { engine, send } = await openLogged(schema, { databaseEngine, records }, locks);
    const held = databaseEngine.hold("create");
    const { data: project } = await send("projects.create", { body: { name: "shop" } });
    await held.begun;
    const { workspace, otherWorkspace } = await engine.readDefaults();
    const recipientAccessToken = await engine.tokens.otherUser({ expiresAt: "2100-01-01" });
    const path = { id: project.id };
    expect((await send("projects.transfer", { path, body: { recipientAccessToken } })).status).toBeLessThan(
      300,
    );
    const before = locks.length;
    held.release();
    await engine.idle();
    const workspaceLocks = locks.slice(before).filter((keys) => keys.length > 0 && !keys.includes("jobs"));
    // Without reading the row again at first, and then in the workspace that it had.
    expect(workspaceLocks).toEqual([[workspace.id], [workspace.id], [otherWorkspace.id]]);
  });
});
