import {
  type Access,
  type Backing,
  type EngineRequest,
  ReferenceEngine,
  type Transaction,
  type Want,
} from "@mgmt/engine";
import { beforeAll, describe, expect, it } from "vitest";
import { openOnPostgres } from "./engine-on-postgres.js";
import { StoreCluster } from "./store-cluster.js";

/** Counts the round trips that are waited for: loads, and commits of changes. */
class CountedBacking implements Backing {
  trips = 0;

  constructor(private readonly backing: Backing) {}

  begin(access: Access): Transaction {
    const transaction = this.backing.begin(access);
    return {
      load: (wants: readonly Want[]) => {
        this.trips += 1;
        return transaction.load(wants);
      },
      commit: (changes) => {
        if (changes.length > 0) this.trips += 1;
        return transaction.commit(changes);
      },
      rollback: () => transaction.rollback(),
    };
  }
}

const cluster = new StoreCluster();
let engine: ReferenceEngine;
let backing: CountedBacking | undefined;
let token: string;

beforeAll(async () => {
  const open = openOnPostgres(() => cluster.pool);
  engine = new ReferenceEngine({
    seed: "trips",
    validateResponses: true,
    openBacking: (store) => (backing = new CountedBacking(open(store))),
  });
  token = await engine.tokens.user({ expiresAt: engine.clock.now() + 365 * 86_400_000 });
});

const send = async (method: string, path: string, body?: object) => {
  const request: EngineRequest = {
    method,
    path,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  };
  const before = backing?.trips ?? 0;
  const response = await engine.handle(request);
  const trips = (backing?.trips ?? 0) - before;
  // The server checks its responses against the contract.
  const parsed = JSON.parse(response.body ?? "{}") as { data: { id: string; database: { id: string } } };
  return { status: response.status, trips, data: parsed.data, body: response.body };
};

describe("a request on Postgres", () => {
  it("takes a few round trips, however long its list is", async () => {
    const { data: project } = await send("POST", "/v1/projects", { name: "shop", logicalId: "shop" });
    for (let index = 0; index < 20; index += 1) {
      const created = await send("POST", "/v1/databases", { projectId: project.id, region: "us-east-1" });
      expect(created.status).toBe(201);
    }
    const path = `/v1/projects/${project.id}`;
    const trips = {
      "projects.get": (await send("GET", path)).trips,
      "projects.list": (await send("GET", "/v1/projects")).trips,
      "projects.create": (await send("POST", "/v1/projects", { name: "another", logicalId: "another" }))
        .trips,
      "databases.get": (await send("GET", `/v1/databases/${project.database.id}`)).trips,
      "databases.list of 21": (await send("GET", "/v1/databases?limit=50")).trips,
    };
    expect(trips).toEqual({
      "projects.get": 1,
      "projects.list": 2,
      "projects.create": 5,
      "databases.get": 2,
      "databases.list of 21": 4,
    });
  });

  it("commits what it has changed, and refuses what another request has taken", async () => {
    const create = (logicalId: string) => send("POST", "/v1/projects", { name: "one", logicalId });
    const statuses = (await Promise.all(Array.from({ length: 40 }, () => create("taken")))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(39);
  });

  it("stores and returns any text", async () => {
    const name = "\u0000 \u0001 '\\ 🐘";
    const { status, data } = await send("POST", "/v1/projects", { name, createDatabase: false });
    if (status !== 201) return expect(status).toBe(422);
    const { body = "" } = await send("GET", `/v1/projects/${data.id}`);
    expect(JSON.parse(body)).toMatchObject({ data: { name } });
  });
});
