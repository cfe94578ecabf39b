import type { Access, Records, Transaction, Want } from "@mgmt/engine";
import { beforeAll, describe, expect, it } from "vitest";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess } from "./stored-process.js";

/** Counts the round trips that are waited for: loads, and commits of changes. */
const countTrips = (records: Records): Records & { trips: string[] } => {
  const trips: string[] = [];
  return {
    ...records,
    trips,
    begin: (access: Access): Transaction => {
      const transaction = records.begin(access);
      return {
        load: (wants: readonly Want[]) => {
          trips.push(wants.map((want) => JSON.stringify(want)).join(" "));
          return transaction.load(wants);
        },
        commit: (changes) => {
          if (changes.length > 0) trips.push("commit");
          return transaction.commit(changes);
        },
        rollback: () => transaction.rollback(),
      };
    },
  };
};

const cluster = new StoreCluster();
let process: StoredProcess;
let trips: string[];

beforeAll(async () => {
  const records = await cluster.openRecords(cluster.newSchema());
  const counted = countTrips(records);
  trips = counted.trips;
  process = await StoredProcess.open(cluster, cluster.newSchema(), {
    records: counted,
    isStarted: false,
  });
  return () => records.close();
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
      "databases.get": await tripsOf("databases.get", { path: { databaseId } }),
      "databases.list of 21": await tripsOf("databases.list", { query: "?limit=50" }),
    }).toEqual({
      "projects.get": 1,
      "projects.list": 1,
      "projects.create": 3,
      "databases.get": 2,
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
