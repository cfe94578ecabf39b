import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, sourceResponses, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let projectId: string;
let databaseId: string;
beforeEach(async () => {
  api = await Api.open();
  const { project, database } = await api.project();
  projectId = project.id;
  databaseId = database.id;
  api.databases.write(databaseId, "orders");
});

const create = (body: Record<string, unknown>) =>
  api.ok("projects.databases.create", { path: { projectId }, body });
const refused = (body: Record<string, unknown>) =>
  api.refused("projects.databases.create", { path: { projectId }, body });

describe("a new database's source", () => {
  it.each(["source", "fromDatabase"])(
    "copies a database, named by %s, through provisioning",
    async (field) => {
      const body =
        field === "source"
          ? { source: { type: "database", databaseId } }
          : { fromDatabase: { id: databaseId } };
      const { data } = await create(body);
      expect(data).toMatchObject({ status: "provisioning", source: { type: "database", databaseId } });
      await api.later();
      expect(await api.status(data.id)).toBe("ready");
      expect(api.databases.read(data.id)).toBe("orders");
      expect(api.databases.passwords(data.id)).not.toEqual(api.databases.passwords(databaseId));
    },
  );

  it.each(["source", "fromDatabase"])("copies a backup, named by %s, through provisioning", async (field) => {
    const { id: backupId } = await api.engine.seed.backup(databaseId);
    api.databases.write(databaseId, "nothing any more");
    const source = { type: "backup", databaseId, backupId };
    const { data } = await create(
      field === "source" ? { source } : { fromDatabase: { id: databaseId, backupId } },
    );
    expect(data).toMatchObject({ status: "provisioning", source });
    await api.later();
    expect(await api.status(data.id)).toBe("ready");
    expect(api.databases.read(data.id)).toBe("orders");
  });

  it("has its fields in the same order in every response, whatever the order in the request", async () => {
    const { id: backupId } = await api.engine.seed.backup(databaseId);
    const { data } = await create({ source: { backupId, databaseId, type: "backup" } });
    const expected = JSON.stringify({ type: "backup", databaseId, backupId });
    expect(JSON.stringify(data.source)).toBe(expected);
    const found = await api.ok("databases.get", { path: { databaseId: data.id } });
    expect(JSON.stringify(found.data.source)).toBe(expected);
  });

  it("accepts ids without their prefixes", async () => {
    const { id: backupId } = await api.engine.seed.backup(databaseId);
    const { data } = await create({
      source: { type: "backup", databaseId: databaseId.slice(3), backupId: backupId.slice(4) },
    });
    expect(data.source).toEqual({ type: "backup", databaseId, backupId });
  });

  it("can be a database of another project of the workspace", async () => {
    const { project } = await api.project();
    const copy = await api.database(project.id, { source: { type: "database", databaseId } });
    expect(api.databases.read(copy.id)).toBe("orders");
  });

  it("can be a backup of a database that is not ready itself", async () => {
    const { id: backupId } = await api.engine.seed.backup(databaseId);
    await api.engine.states.setDatabaseStatus(databaseId, "failure");
    const { data } = await create({ source: { type: "backup", databaseId, backupId } });
    await api.later();
    expect(await api.status(data.id)).toBe("ready");
  });

  it("can be deleted afterwards without affecting the copy", async () => {
    const source = await api.database(projectId);
    api.databases.write(source.id, "orders");
    const copy = await api.database(projectId, { source: { type: "database", databaseId: source.id } });
    await api.ok("databases.delete", { path: { databaseId: source.id } });
    expect(api.databases.read(copy.id)).toBe("orders");
    expect((await api.ok("databases.get", { path: { databaseId: copy.id } })).data.source).toEqual({
      type: "database",
      databaseId: source.id,
    });
  });

  it("cannot be deleted while it is being copied", async () => {
    const source = await api.database(projectId);
    api.databases.write(source.id, "orders");
    const { data: copy } = await create({ source: { type: "database", databaseId: source.id } });
    const { begun, release } = api.databases.hold("create");
    const copying = api.later();
    await begun;
    const deletion = api.ok("databases.delete", { path: { databaseId: source.id } });
    release();
    await Promise.all([copying, deletion]);
    expect(await api.status(copy.id)).toBe("ready");
    expect(api.databases.read(copy.id)).toBe("orders");
  });

  it.each(["provisioning", "recovering", "failure"] as const)(
    "causes a 422 while the database to copy is %s",
    async (status) => {
      await api.engine.states.setDatabaseStatus(databaseId, status);
      const rejected = { status: 422, code: "database:source_not_ready" };
      expect(await refused({ source: { type: "database", databaseId } })).toEqual(rejected);
      expect(await refused({ fromDatabase: { id: databaseId } })).toEqual(rejected);
      expect(
        await api.refused("databases.create", {
          body: { projectId, source: { type: "database", databaseId } },
        }),
      ).toEqual(rejected);
    },
  );

  it.each(["running", "failed", "unknown"] as const)(
    "causes a 422 for a backup that is %s",
    async (status) => {
      const { id: backupId } = await api.engine.seed.backup(databaseId);
      await api.engine.states.setBackupStatus(backupId, status);
      const source = { type: "backup", databaseId, backupId };
      const unusable = { status: 422, code: "backup:unusable" };
      expect(await refused({ source })).toEqual(unusable);
      expect(await api.refused("databases.create", { body: { projectId, source } })).toEqual(unusable);
    },
  );

  it("causes a 404 for a backup of another database, or none", async () => {
    const other = await api.database(projectId);
    const { id } = await api.engine.seed.backup(other.id);
    for (const backupId of [id, nobody("bkp_")]) {
      const source = { type: "backup", databaseId, backupId };
      const notFound = { status: 404, code: "backup:not_found" };
      expect(await refused({ source })).toEqual(notFound);
      expect(await refused({ fromDatabase: { id: databaseId, backupId } })).toEqual(notFound);
      expect(await api.refused("databases.create", { body: { projectId, source } })).toEqual(notFound);
    }
  });

  it("causes a 404 for an unknown database and a 403 for another workspace's", async () => {
    const { database } = await api.project({}, { as: "stranger" });
    const { id: backupId } = await api.engine.seed.backup(database.id);
    const cases = [
      [nobody("db_"), { status: 404, code: "database:not_found" }],
      [database.id, { status: 403, code: "auth:forbidden" }],
    ] as const;
    for (const [id, expected] of cases) {
      expect(await refused({ source: { type: "database", databaseId: id } })).toEqual(expected);
      expect(await refused({ source: { type: "backup", databaseId: id, backupId } })).toEqual(expected);
      expect(await refused({ fromDatabase: { id } })).toEqual(expected);
      const body = { projectId, source: { type: "database", databaseId: id } };
      expect(await api.refused("databases.create", { body })).toEqual(expected);
    }
  });

  it("causes a 422 when fromDatabase and source are combined", async () => {
    const body = { source: { type: "empty" }, fromDatabase: { id: databaseId } };
    expect(await api.issues("projects.databases.create", { path: { projectId }, body })).toEqual([
      "/fromDatabase",
    ]);
  });

  it.each([
    ["an unknown type", { type: "tape" }],
    ["no type", { databaseId: "db_abcdefgh" }],
    ["an empty source with a database", { type: "empty", databaseId: "db_abcdefgh" }],
    ["a backup source without backupId", { type: "backup", databaseId: "db_abcdefgh" }],
    ["a clone with a backupId", { type: "database", databaseId: "db_abcdefgh", backupId: "bkp_abcdefgh" }],
    ["a malformed databaseId", { type: "database", databaseId: "db_NO" }],
    ["a source that is text", "empty"],
    ["a null source", null],
  ])("causes a 422 for %s", async (_, source) => {
    const asked = { path: { projectId }, body: { source } };
    const { status, code } = await api.refused("projects.databases.create", asked);
    expect({ status, code }).toEqual({ status: 422, code: "validation:failed" });
  });
});

it("returns every response that the contract lists for the sources of a database", () => {
  const unseen = unseenResponses("projects.databases.create", "databases.create");
  expect(unseen.filter((answer) => sourceResponses.includes(answer))).toEqual([]);
});
