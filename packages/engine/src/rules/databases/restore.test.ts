import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let databaseId: string;
let backupId: string;
beforeEach(async () => {
  api = await Api.open();
  const { database } = await api.project();
  databaseId = database.id;
  api.databases.write(databaseId, "orders");
  ({ id: backupId } = await api.engine.seed.backup(databaseId));
  api.databases.write(databaseId, "mistakes");
});

const asked = (source?: unknown, targetDatabaseId = databaseId) => ({
  path: { targetDatabaseId },
  body: { source: source ?? { type: "backup", databaseId, backupId } },
});

describe("databases.restore", () => {
  it("returns the database as recovering, with its new source", async () => {
    const { data } = await api.ok("databases.restore", asked());
    expect(data).toMatchObject({
      id: databaseId,
      status: "recovering",
      source: { type: "backup", databaseId, backupId },
    });
    expect(JSON.stringify(data)).not.toContain("connectionString");
  });

  it("returns the fields of a source in the same order in every response, whatever the order in the request", async () => {
    const expected = JSON.stringify({ type: "backup", databaseId, backupId });
    const { data } = await api.ok("databases.restore", asked({ backupId, databaseId, type: "backup" }));
    expect(JSON.stringify(data.source)).toBe(expected);
    const found = await api.ok("databases.get", { path: { databaseId } });
    expect(JSON.stringify(found.data.source)).toBe(expected);
  });

  it("replaces all data by the backup's, and then is ready", async () => {
    await api.ok("databases.restore", asked());
    expect(api.databases.read(databaseId)).toBe("mistakes");
    await api.later();
    expect(await api.status(databaseId)).toBe("ready");
    expect(api.databases.read(databaseId)).toBe("orders");
  });

  it("preserves connections and credentials", async () => {
    await api.ok("connections.create", { body: { databaseId, name: "app" } });
    const before = await api.ok("databases.connections.list", { path: { databaseId } });
    const passwords = api.databases.passwords(databaseId);
    await api.ok("databases.restore", asked());
    await api.later();
    expect(await api.ok("databases.connections.list", { path: { databaseId } })).toEqual(before);
    expect(api.databases.passwords(databaseId)).toEqual(passwords);
  });

  it("accepts a backup of another database of the workspace", async () => {
    const { database: target } = await api.project();
    await api.ok("databases.restore", asked(undefined, target.id));
    await api.later();
    expect(api.databases.read(target.id)).toBe("orders");
  });

  it("starts from failure, and makes the database ready again", async () => {
    const stopFailing = api.databases.fail("restore");
    await api.ok("databases.restore", asked());
    await api.later();
    expect(await api.status(databaseId)).toBe("failure");
    stopFailing();
    await api.ok("databases.restore", asked());
    await api.later();
    expect(await api.status(databaseId)).toBe("ready");
    expect(api.defects).toEqual([new Error("The database engine cannot restore")]);
  });

  it("creates a database that could not be created, with a role for each connection", async () => {
    const stopFailing = api.databases.fail("create");
    const { database } = await api.project();
    expect(await api.status(database.id)).toBe("failure");
    const { data: connection } = await api.ok("connections.create", {
      body: { databaseId: database.id, name: "app" },
    });
    stopFailing();
    await api.ok("databases.restore", asked(undefined, database.id));
    await api.later();
    expect(await api.status(database.id)).toBe("ready");
    expect(api.databases.read(database.id)).toBe("orders");
    expect(api.databases.passwords(database.id)).toEqual({
      [database.defaultConnectionId ?? ""]: database.directConnection?.pass,
      [connection.id]: connection.pass,
    });
  });

  it("rejects a restore of a provisioning database with 409", async () => {
    const { database } = await api.project({}, { provisioning: true });
    expect(await api.refused("databases.restore", asked(undefined, database.id))).toEqual({
      status: 409,
      code: "database:busy",
    });
  });

  it("rejects a restore of a recovering database with 409", async () => {
    await api.ok("databases.restore", asked());
    expect(await api.refused("databases.restore", asked())).toEqual({ status: 409, code: "database:busy" });
  });

  it.each([
    ["empty", { type: "empty" }],
    ["database", { type: "database", databaseId: "db_abcdefgh" }],
    ["unknown", { type: "tape", databaseId: "db_abcdefgh", backupId: "bkp_abcdefgh" }],
  ])("rejects a source of the type %s with 422", async (_, source) => {
    expect(await api.refused("databases.restore", asked(source))).toEqual({
      status: 422,
      code: "restore:invalid_source",
    });
  });

  it.each(["running", "failed", "unknown"] as const)(
    "rejects a backup that is %s with 422",
    async (status) => {
      await api.engine.states.setBackupStatus(backupId, status);
      expect(await api.refused("databases.restore", asked())).toEqual({
        status: 422,
        code: "backup:unusable",
      });
    },
  );

  it.each([
    ["no source", {}],
    ["a null source", { source: null }],
    ["a source that is text", { source: "backup" }],
    ["no databaseId", { source: { type: "backup", backupId: "bkp_abcdefgh" } }],
    ["no backupId", { source: { type: "backup", databaseId: "db_abcdefgh" } }],
    ["a malformed backupId", { source: { type: "backup", databaseId: "db_abcdefgh", backupId: "NO" } }],
    ["an unknown field", { source: { type: "backup", databaseId: "db_abcdefgh", backupId: "bkp_a", at: 1 } }],
    ["no body", undefined],
  ])("rejects %s with 422", async (_, body) => {
    expect(await api.refused("databases.restore", { path: { targetDatabaseId: databaseId }, body })).toEqual({
      status: 422,
      code: "validation:failed",
    });
  });

  it("returns 404 for no target, source database or backup", async () => {
    const cases = [
      [asked(undefined, nobody("db_")), "database:not_found"],
      [asked({ type: "backup", databaseId: nobody("db_"), backupId }), "database:not_found"],
      [asked({ type: "backup", databaseId, backupId: nobody("bkp_") }), "backup:not_found"],
    ] as const;
    for (const [request, code] of cases) {
      expect(await api.refused("databases.restore", request)).toEqual({ status: 404, code });
    }
  });

  it("returns 404 for another workspace's target and source", async () => {
    const { database } = await api.project({}, { as: "stranger" });
    const foreign = await api.engine.seed.backup(database.id);
    const notFound = { status: 404, code: "database:not_found" };
    expect(await api.refused("databases.restore", asked(undefined, database.id))).toEqual(notFound);
    const source = { type: "backup", databaseId: database.id, backupId: foreign.id };
    expect(await api.refused("databases.restore", asked(source))).toEqual(notFound);
  });

  it("is canceled when the target is deleted meanwhile", async () => {
    const projectId = (await api.store()).databases.get(databaseId)?.projectId ?? "";
    const target = await api.database(projectId);
    await api.ok("databases.restore", asked(undefined, target.id));
    const { begun, release } = api.databases.hold("restore");
    const recovering = api.later();
    await begun;
    await api.ok("databases.delete", { path: { databaseId: target.id } });
    await recovering;
    release();
    expect(api.databases.passwords(target.id)).toBeUndefined();
    expect((await api.store()).databases.get(target.id)).toBeUndefined();
    expect(api.defects).toEqual([]);
  });
});

it("returns every response that the contract lists for a restore", () => {
  expect(unseenResponses("databases.restore")).toEqual([]);
});
