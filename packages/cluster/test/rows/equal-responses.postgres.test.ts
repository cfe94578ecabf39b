import { describe, expect, it } from "vitest";
import { Api } from "../../../engine/test/rules/api.js";
import { brokenInvariants } from "../../../engine/test/rules/invariants.js";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { Dice, RandomRequests } from "../../../engine/test/rules/random-requests.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess } from "./stored-process.js";
import { operations } from "@mgmt/engine";
import { MemoryStore } from "@mgmt/engine/internal";

const cluster = new StoreCluster();
const requestCount = Number(process.env["MGMT_TEST_REQUESTS"] ?? 40);
const seeds = (process.env["MGMT_TEST_SEEDS"] ?? "1").split(",").map(Number);

describe("a seeded server in Postgres", () => {
  it.each(seeds)("responds to random requests as one in memory does (seed %i)", async (seed) => {
    const api = await Api.open();
    const databases = new ModelDatabases();
    const stored = await StoredProcess.open(cluster, cluster.newSchema(), {
      deterministic: "behaviors",
      databaseEngine: databases,
    });
    const expiresAt = (await api.engine.clock.now()) + 365 * 86_400_000;
    const [memoryTokens, storedTokens] = await Promise.all(
      [api.engine, stored.engine].map(async ({ tokens }) => ({
        user: await tokens.user({ expiresAt }),
        stranger: await tokens.otherUser({ expiresAt }),
      })),
    );
    const dice = new Dice(seed);
    const requests = new RandomRequests(dice);
    for (let index = 0; index < requestCount; index += 1) {
      const { operationId, asked } = requests.next(await api.store());
      const who = asked.as === "stranger" ? "stranger" : "user";
      const expected = await api.send(operationId, { ...asked, token: memoryTokens?.[who] ?? "" });
      const query =
        typeof asked.query === "object" ? new URLSearchParams(asked.query as never).toString() : "";
      const reply = await stored.send(operationId, {
        path: asked.path ?? {},
        query: query && `?${query}`,
        ...(typeof asked.body === "object" && asked.body !== null && { body: asked.body }),
        token: storedTokens?.[who] ?? "",
      });
      expect([index, operations[operationId].id, reply.status, reply.text]).toEqual([
        index,
        operationId,
        expected.status,
        expected.body === undefined ? "" : JSON.stringify(expected.body),
      ]);
      if (dice.chance(20)) {
        const time = dice.below(3_000);
        await Promise.all([api.later(time), stored.engine.clock.advance(time)]);
      }
    }
    await Promise.all([api.later(600_000), stored.engine.clock.advance(600_000)]);
    const snapshot = await stored.engine.snapshot();
    const store = new MemoryStore();
    store.restore(snapshot.store);
    expect(brokenInvariants(store)).toEqual([]);
    const inMemory = await api.engine.snapshot();
    expect(snapshot.jobs).toEqual(inMemory.jobs);
    const rowsOf = (rows: readonly (readonly [number, object])[]) => rows.map(([, row]) => row);
    for (const [name, { rows }] of Object.entries(inMemory.store)) {
      expect([name, rowsOf(snapshot.store[name as keyof typeof snapshot.store].rows)]).toEqual([
        name,
        rowsOf(rows),
      ]);
    }
  });
});
