import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { textAt } from "../crash/request.js";
import { ServePlace, isFull } from "./place.js";
import type { ServerProcess } from "./server-process.js";

const place = new ServePlace();
const few = 10;
const many = Number(process.env["MGMT_SERVE_DATABASES"] ?? 1_000);
/** How long a start may take, in milliseconds, and how much longer a creation with many databases. */
const [maxStartMs, maxRatio] = [2_000, 2];

const create = async (server: ServerProcess): Promise<void> => {
  const { status, body } = await server.call(place.tokens[0], "POST", "/v1/projects", {});
  expect(status).toBe(201);
  const id = textAt(body, "data", "database", "id");
  for (;;) {
    const answer = await server.call(place.tokens[0], "GET", `/v1/databases/${id}`);
    if (textAt(answer.body, "data", "status") === "ready") return;
    await sleep(10);
  }
};

/** Returns the median time of a creation until the database is ready, in milliseconds. */
const measureCreation = async (server: ServerProcess): Promise<number> => {
  const times: number[] = [];
  for (let index = 0; index < 9; index += 1) {
    // The databases that are prepared for creations are complete again.
    await sleep(2_000);
    const startedAt = performance.now();
    await create(server);
    times.push(performance.now() - startedAt);
  }
  return times.sort((one, other) => one - other)[4] ?? NaN;
};

describe.runIf(isFull)("a server with many databases", () => {
  it("scale: starts and creates databases as fast as with few", async () => {
    let server = await place.start();
    for (let count = 0; count < few; count += 1) await create(server);
    const creationWithFew = await measureCreation(server);
    const rest = many - few - 9;
    let created = 0;
    const createRest = async (): Promise<void> => {
      while (created++ < rest) await create(server);
    };
    await Promise.all([createRest(), createRest(), createRest()]);
    await place.stopAll();
    const startedAt = performance.now();
    server = await place.start();
    const start = performance.now() - startedAt;
    const creationWithMany = await measureCreation(server);
    console.log("scale:", { many, start, creationWithFew, creationWithMany });
    expect(start).toBeLessThan(maxStartMs);
    expect(creationWithMany).toBeLessThan(maxRatio * creationWithFew);
  });
});
