import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LoadTarget } from "../crash/mgmt-dev.js";
import { verifyObjects } from "../crash/postgres-objects.js";
import { textAt } from "../crash/request.js";
import { Api } from "../crash/verify.js";
import { eventually } from "../crash/violation.js";
import { Forwarder } from "./forwarder.js";
import { ServePlace, isFull } from "./place.js";
import type { ServerProcess } from "./server-process.js";

const place = new ServePlace();
let network: Forwarder;

/** How late a write through the server that Postgres reaches may be, and when work of the other one is done, in milliseconds. */
const [maxWriteMs, maxReadyMs] = [25_000, 60_000];

/** Starts a server whose connections to Postgres can be cut, and another one. */
const startTwo = async (): Promise<[ServerProcess, ServerProcess]> => {
  const { settings } = place;
  const databaseAddress = `127.0.0.1:${String(place.service.cluster.options.port)}`;
  const url = new URL(settings.databaseUrl);
  url.port = String(network.port);
  return [
    await place.startAlone({ databaseAddress, databaseUrl: url.href }),
    await place.startAlone({ databaseAddress }),
  ];
};

/** The service as its clients reach it through one server. */
const through = (server: ServerProcess): LoadTarget => ({
  tokens: place.tokens,
  userTokens: place.userTokens,
  call: (...request) => server.call(...request),
  control: () => place.control(),
  connectAsAdmin: () => place.connectAsAdmin(),
});

describe.runIf(isFull)("a server whose network to Postgres is cut", () => {
  beforeEach(async () => {
    network = new Forwarder();
    network.target = place.service.cluster.options.port;
    await network.start();
  });
  afterEach(() => network.close());

  it.each([
    { cutMs: 8_000, isTaken: false },
    { cutMs: 30_000, isTaken: true },
  ])("cut: nothing is done twice, and the other server goes on ($cutMs ms)", async ({ cutMs, isTaken }) => {
    const [cut, other] = await startTwo();
    const created = new Map<string, string>();
    const names = Array.from({ length: 12 }, (_, index) => `cut ${String(cutMs)} ${String(index)}`);
    const create = async (name: string, delayMs: number): Promise<void> => {
      await sleep(delayMs);
      const { status, body } = await cut.call(place.tokens[0], "POST", "/v1/projects", { name });
      if (status === 201) created.set(name, textAt(body, "data", "database", "id"));
    };
    // Some are sent before, and some while nothing arrives.
    const requests = Promise.all(names.map((name, index) => create(name, index * 30).catch(() => undefined)));
    await sleep(150);
    network.cut();
    const cutAt = performance.now();
    let longestWriteMs = 0;
    for (; performance.now() - cutAt < cutMs; await sleep(100)) {
      const startedAt = performance.now();
      await eventually("A write", async () => {
        const body = { createDatabase: false };
        const { status } = await other.call(place.tokens[0], "POST", "/v1/projects", body);
        return status === 201 ? undefined : String(status);
      });
      longestWriteMs = Math.max(longestWriteMs, performance.now() - startedAt);
    }
    network.restore();
    const restoredAt = performance.now();
    await eventually("The server does not work again", async () => {
      const { status } = await cut.call(place.tokens[0], "GET", "/v1/projects?limit=1");
      return status === 200 ? undefined : String(status);
    });
    const backMs = performance.now() - restoredAt;
    await requests;
    const target = through(other);
    const api = new Api(target, place.tokens[0]);
    const projects = (await api.list("/v1/projects")).map((project) => textAt(project, "name"));
    for (const name of names) {
      const { length } = projects.filter((project) => project === name);
      expect(length).toBeLessThan(2);
      if (created.has(name)) expect(length).toBe(1);
    }
    for (const id of created.values())
      await eventually(`The database ${id}`, async () => {
        const { body } = await other.call(place.tokens[0], "GET", `/v1/databases/${id}`);
        const status = textAt(body, "data", "status");
        return status === "ready" ? undefined : status;
      });
    await verifyObjects(target, place.before);
    const readyMs = performance.now() - cutAt;
    console.log("cut:", { cutMs, created: created.size, longestWriteMs, backMs, readyMs });
    expect(cut.log.some(({ msg }) => String(msg).includes("starts again"))).toBe(isTaken);
    expect(longestWriteMs).toBeLessThan(maxWriteMs);
    expect(readyMs).toBeLessThan(cutMs + maxReadyMs);
  });
});
