import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let databaseId: string;
beforeEach(async () => {
  api = await Api.open();
  await api.engine.clock.set("2026-03-10T12:00:00Z");
  ({ id: databaseId } = (await api.project()).database);
  await api.engine.clock.set("2026-03-20T10:00:00Z");
});

const usage = (query: string) => api.ok("databases.usage.get", { path: { databaseId }, query });

describe("databases.usage.get", () => {
  it("returns a bare object with the usage of the current month so far", async () => {
    expect(await api.ok("databases.usage.get", { path: { databaseId } })).toEqual({
      period: { start: "2026-03-01T00:00:00.000Z", end: "2026-03-20T10:00:00.000Z" },
      metrics: { operations: { used: 100, unit: "ops" }, storage: { used: 3, unit: "GiB" } },
      generatedAt: "2026-03-20T10:00:00.000Z",
    });
  });

  it.each([
    ["startDate=2026-03-15", "2026-03-15T00:00:00.000Z", "2026-03-20T10:00:00.000Z"],
    ["endDate=2026-03-15", "2026-03-01T00:00:00.000Z", "2026-03-15T23:59:59.999Z"],
    ["startDate=2026-03-15&endDate=2026-03-15", "2026-03-15T00:00:00.000Z", "2026-03-15T23:59:59.999Z"],
    [
      "startDate=2026-03-15T10:00:00Z&endDate=2026-03-15T10:00:00Z",
      "2026-03-15T10:00:00.000Z",
      "2026-03-15T10:00:00.000Z",
    ],
    [
      "startDate=2026-03-15T10:00:00%2B02:00&endDate=2026-03-16",
      "2026-03-15T08:00:00.000Z",
      "2026-03-16T23:59:59.999Z",
    ],
    ["startDate=2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z", "2026-03-20T10:00:00.000Z"],
    [
      "startDate=2016-12-31T18:59:60.5-05:00&endDate=2026-03-16",
      "2017-01-01T00:00:00.500Z",
      "2026-03-16T23:59:59.999Z",
    ],
  ])("reads the period of ?%s", async (query, start, end) => {
    expect((await usage(query)).period).toEqual({ start, end });
  });

  it.each([
    ["ends before the database was made", "startDate=2026-03-01&endDate=2026-03-09"],
    ["lies in the future", "startDate=2026-03-21&endDate=2026-03-22"],
  ])("counts nothing in a period that %s", async (_, query) => {
    const { metrics } = await usage(query);
    expect([metrics.operations.used, metrics.storage.used]).toEqual([0, 0]);
  });

  it("counts nothing for a database that is still being made", async () => {
    const { database } = await api.project({}, { provisioning: true });
    const { metrics } = await api.ok("databases.usage.get", { path: { databaseId: database.id } });
    expect(metrics.storage.used).toBe(0);
  });

  it.each([
    "startDate=2026-03-16&endDate=2026-03-15",
    "startDate=2026-04-01",
    "startDate=2027-01-01T00:00:00Z",
  ])("rejects ?%s with 400", async (query) => {
    expect(await api.refused("databases.usage.get", { path: { databaseId }, query })).toEqual({
      status: 400,
      code: "usage:invalid_range",
    });
  });

  it.each([
    ["startDate=yesterday", "query/startDate"],
    ["startDate=2026-02-30", "query/startDate"],
    ["startDate=2026-03-15T10:00:00", "query/startDate"],
    ["startDate=2026-03-15T10:59:60Z", "query/startDate"],
    ["endDate=1773568800000", "query/endDate"],
    ["endDate=", "query/endDate"],
    ["endDate=2026-03-15&endDate=2026-03-16", "query/endDate"],
  ])("rejects ?%s with 422", async (query, path) => {
    expect(await api.issues("databases.usage.get", { path: { databaseId }, query })).toEqual([path]);
  });

  it("returns 500 when the database engine cannot tell", async () => {
    api.databases.fail("readUsage");
    expect(await api.refused("databases.usage.get", { path: { databaseId } })).toEqual({
      status: 500,
      code: "internal:error",
    });
  });

  it("rejects a malformed id with 422, and returns 404 for another workspace's or no database", async () => {
    expect(await api.issues("databases.usage.get", { path: { databaseId: "NO" } })).toEqual([
      "path/databaseId",
    ]);
    const { database } = await api.project({}, { as: "stranger" });
    for (const id of [database.id, nobody("db_")]) {
      expect(await api.refused("databases.usage.get", { path: { databaseId: id } })).toEqual({
        status: 404,
        code: "database:not_found",
      });
    }
  });
});

it("returns every response that the contract lists for usage", () => {
  expect(unseenResponses("databases.usage.get")).toEqual([]);
});
