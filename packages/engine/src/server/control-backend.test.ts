import { describe, expect, it } from "vitest";
import { serverRowId } from "../context/server-rows.js";
import { MemoryServer } from "./memory-server.js";
import { changeClock, moveClockForward } from "./control-backend.js";
import { MemoryTables } from "./memory-tables.js";
import { MemoryStore } from "../store/memory-store.js";
import { RateWindows } from "../store/rate-window.js";

const openTables = (clock?: object) => {
  const tables = new MemoryTables(
    { ...new MemoryStore().state },
    { windows: new RateWindows(), onJobsChanged: () => undefined },
  );
  const server = tables.getTable<never, never>("server");
  if (clock) server.insert({ id: serverRowId, createdAt: 0, clock } as never);
  return { tables, readRow: (): { clock: object } | undefined => server.get(serverRowId) };
};

describe("the clock in the rows of a server", () => {
  it("is moved forward only, and its row is replaced only if it has changed", () => {
    const { tables, readRow } = openTables({ frozenAt: 1_000 });
    const before = readRow();
    for (const time of [0, 999, 1_000]) moveClockForward(tables, time);
    changeClock(tables, (clock) => clock.freeze());
    expect(readRow()).toBe(before);
    moveClockForward(tables, 1_001);
    expect(readRow()).toMatchObject({ clock: { frozenAt: 1_001 } });
    changeClock(tables, (clock) => clock.moveTo(5));
    expect(readRow()).toMatchObject({ clock: { frozenAt: 5 } });
  });

  it("is left alone where another process has removed the row", () => {
    const { tables, readRow } = openTables();
    moveClockForward(tables, 5);
    expect(readRow()).toBeUndefined();
  });
});

it("draws for faults repeat with the same seed, also after a snapshot", async () => {
  const drawsOf = async (server: MemoryServer): Promise<number[]> => {
    server.faults.add({ operation: "regions.list", status: 500, probability: 0.5 });
    const headers = { authorization: `Bearer ${await server.tokens.user()}` };
    const statuses = [];
    for (let count = 0; count < 24; count += 1)
      statuses.push((await server.handle({ method: "GET", path: "/v1/regions", headers })).status);
    return statuses;
  };
  const draws = await drawsOf(new MemoryServer({ deterministic: "draws" }));
  expect(new Set(draws)).toEqual(new Set([200, 500]));
  expect(await drawsOf(new MemoryServer({ deterministic: "draws" }))).toEqual(draws);
  expect(await drawsOf(new MemoryServer({ deterministic: "others" }))).not.toEqual(draws);
});
