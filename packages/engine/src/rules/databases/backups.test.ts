import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let databaseId: string;
beforeEach(async () => {
  api = await Api.open();
  ({ id: databaseId } = (await api.project()).database);
});

const list = (query?: string, id = databaseId) =>
  api.ok("databases.backups.list", { path: { databaseId: id }, ...(query !== undefined && { query }) });

describe("databases.backups.list", () => {
  it("returns an empty list with its meta and pagination", async () => {
    expect(await list()).toEqual({
      data: [],
      meta: { backupRetentionDays: 7 },
      pagination: { hasMore: false, limit: null },
    });
  });

  it("shows backups newest first, with their size in bytes", async () => {
    api.databases.write(databaseId, "twelve bytes");
    await api.engine.seed.backup((await api.project()).database.id);
    const old = await api.engine.seed.backup(databaseId);
    await api.later(1_000);
    const young = await api.engine.seed.backup(databaseId);
    const { data } = await list();
    expect(data.map(({ id }) => id)).toEqual([young.id, old.id]);
    expect(data[1]).toEqual({
      id: old.id,
      type: "backup",
      backupType: "full",
      createdAt: new Date(old.createdAt).toISOString(),
      status: "completed",
      size: 12,
    });
  });

  it("shows no size while it is not known", async () => {
    api.databases.fail("backup");
    await api.engine.seed.backup(databaseId);
    const { data } = await list();
    expect(data[0]).toMatchObject({ status: "failed" });
    expect(data[0]).not.toHaveProperty("size");
  });

  it("returns the newest of the requested limit, and whether there are more", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.unshift((await api.engine.seed.backup(databaseId)).id);
    const some = await list("limit=2");
    expect(some.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(some.pagination).toEqual({ hasMore: true, limit: 2 });
    const all = await list("limit=3");
    expect(all.data.map(({ id }) => id)).toEqual(ids);
    expect(all.pagination).toEqual({ hasMore: false, limit: 3 });
  });

  it.each(["limit=0", "limit=1001", "limit=-1", "limit=many", "limit=1&limit=1"])(
    "rejects ?%s with 422",
    async (query) => {
      expect(await api.issues("databases.backups.list", { path: { databaseId }, query })).toEqual([
        "query/limit",
      ]);
    },
  );

  it("rejects a malformed id with 422, and returns 404 for another workspace's or no database", async () => {
    expect(await api.issues("databases.backups.list", { path: { databaseId: "NO" } })).toEqual([
      "path/databaseId",
    ]);
    const { database } = await api.project({}, { as: "stranger" });
    for (const id of [database.id, nobody("db_")]) {
      expect(await api.refused("databases.backups.list", { path: { databaseId: id } })).toEqual({
        status: 404,
        code: "database:not_found",
      });
    }
  });
});

it("returns every response that the contract lists for backups", () => {
  expect(unseenResponses("databases.backups.list")).toEqual([]);
});
