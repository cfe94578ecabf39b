import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
});

describe("projects.get", () => {
  it("accepts an id with and without the prefix", async () => {
    const { project } = await api.project({ name: "shop" });
    for (const id of [project.id, project.id.slice("proj_".length)]) {
      const { data } = await api.ok("projects.get", { path: { id } });
      expect(data).toMatchObject({ id: project.id, name: "shop" });
      expect(data).not.toHaveProperty("database");
    }
  });

  it.each([
    "proj_proj_abcdefgh",
    "db_abcdefgh",
    "UPPER",
    "a%20b",
    "__proto__",
    "constructor",
    "a".repeat(129),
    nobody("proj_"),
  ])("returns 404 for %s, which is no project", async (id) => {
    await api.project();
    expect(await api.refused("projects.get", { path: { id } })).toEqual({
      status: 404,
      code: "project:not_found",
    });
  });

  it("returns 404 for another workspace's project, and for a deleted one", async () => {
    const { project } = await api.project();
    const asked = { path: { id: project.id } };
    const notFound = { status: 404, code: "project:not_found" };
    expect(await api.refused("projects.get", { ...asked, as: "stranger" })).toEqual(notFound);
    await api.ok("projects.delete", asked);
    expect(await api.refused("projects.get", asked)).toEqual(notFound);
  });
});

describe("projects.list", () => {
  it("lists the projects of the credential's workspace only, oldest first", async () => {
    await api.project({ name: "one" });
    await api.project({ name: "alien" }, { as: "stranger" });
    await api.project({ name: "two" });
    const { data, pagination } = await api.ok("projects.list");
    expect(data.map(({ name }) => name)).toEqual(["one", "two"]);
    expect(pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it("filters by logicalId", async () => {
    await api.project({ logicalId: "shop" });
    await api.project({ logicalId: "blog" });
    const { data } = await api.ok("projects.list", { query: { logicalId: "blog" } });
    expect(data.map(({ logicalId }) => logicalId)).toEqual(["blog"]);
    expect((await api.ok("projects.list", { query: { logicalId: "none" } })).data).toEqual([]);
  });

  it("pages without skipping or repeating while projects come and go", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await api.project()).project.id);
    const first = await api.ok("projects.list", { query: { limit: 2 } });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    await api.ok("projects.delete", { path: { id: ids[1] ?? "" } });
    const { project: added } = await api.project();
    const rest = await api.ok("projects.list", {
      query: { limit: 100, cursor: first.pagination.nextCursor ?? "" },
    });
    expect(rest.data.map(({ id }) => id)).toEqual([...ids.slice(2), added.id]);
    expect(rest.pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it("treats an empty cursor as absent, and ignores unknown parameters", async () => {
    await api.project();
    expect((await api.ok("projects.list", { query: "cursor=&colour=red" })).data).toHaveLength(1);
  });

  it.each([
    ["limit=0", "query/limit"],
    ["limit=1001", "query/limit"],
    ["limit=two", "query/limit"],
    ["limit=1.5", "query/limit"],
    ["limit=2&limit=3", "query/limit"],
    ["cursor=abc", "query/cursor"],
    ["logicalId=-", "query/logicalId"],
  ])("rejects ?%s with 422", async (query, path) => {
    expect(await api.issues("projects.list", { query })).toEqual([path]);
  });

  it("rejects a cursor of another list, filter or workspace with 422", async () => {
    for (const as of ["user", "user", "stranger", "stranger"] as const) await api.project({}, { as });
    const { pagination } = await api.ok("projects.list", { query: { limit: 1 } });
    const cursor = pagination.nextCursor ?? "";
    expect(await api.issues("databases.list", { query: { cursor } })).toEqual(["query/cursor"]);
    expect(await api.issues("projects.list", { query: { cursor, logicalId: "shop" } })).toEqual([
      "query/cursor",
    ]);
    expect(await api.issues("projects.list", { query: { cursor }, as: "stranger" })).toEqual([
      "query/cursor",
    ]);
  });
});

describe("projects.update", () => {
  it("renames a project", async () => {
    const { project } = await api.project({ name: "shop" });
    const { data } = await api.ok("projects.update", { path: { id: project.id }, body: { name: "store" } });
    expect(data).toEqual((await api.ok("projects.get", { path: { id: project.id } })).data);
    expect(data.name).toBe("store");
  });

  it("merges settings by key, and does not show them", async () => {
    const { project } = await api.project();
    const path = { id: project.id };
    await api.ok("projects.update", { path, body: { settings: { a: { x: 1 }, b: { y: 1 } } } });
    const { data } = await api.ok("projects.update", { path, body: { settings: { a: { z: 2 } } } });
    expect(data).not.toHaveProperty("settings");
    expect((await api.store()).projects.get(project.id)?.settings).toEqual({ a: { z: 2 }, b: { y: 1 } });
  });

  it("refuses settings of more than 64 KiB in total, and keeps the stored ones", async () => {
    const { project } = await api.project();
    const path = { id: project.id };
    const half = { text: "x".repeat(40_000) };
    await api.ok("projects.update", { path, body: { settings: { a: half } } });
    const body = { name: "new", settings: { b: half } };
    expect(await api.issues("projects.update", { path, body })).toEqual(["/settings"]);
    await api.ok("projects.update", { path, body: { settings: { a: { text: "" }, b: half } } });
  });

  it("stores settings named like object properties as data", async () => {
    const { project } = await api.project();
    const body: unknown = JSON.parse('{"settings":{"__proto__":{"polluted":true},"constructor":{}}}');
    await api.ok("projects.update", { path: { id: project.id }, body });
    expect(Object.keys((await api.store()).projects.get(project.id)?.settings ?? {})).toEqual([
      "__proto__",
      "constructor",
    ]);
    expect({}).not.toHaveProperty("polluted");
  });

  it("changes nothing for an empty body", async () => {
    const { project } = await api.project({ name: "shop" });
    const { data } = await api.ok("projects.update", { path: { id: project.id }, body: {} });
    expect(data.name).toBe("shop");
  });

  it.each([
    ["settings that are a list", { settings: [] }, "/settings"],
    ["a setting that is not an object", { settings: { a: 1 } }, "/settings/a"],
    ["a setting that is null", { settings: { a: null } }, "/settings/a"],
    ["an empty name", { name: "" }, "/name"],
    ["a logicalId", { logicalId: "shop" }, "/logicalId"],
    ["no body", undefined, ""],
  ])("rejects %s with 422", async (_, body, path) => {
    const { project } = await api.project();
    expect(await api.issues("projects.update", { path: { id: project.id }, body })).toEqual([path]);
  });

  it("rejects a malformed id with 422", async () => {
    expect(await api.issues("projects.update", { path: { id: "no-such" }, body: {} })).toEqual(["path/id"]);
  });

  it("returns 403 for another workspace's project and 404 for none", async () => {
    const { project } = await api.project();
    const body = { name: "mine" };
    expect(await api.refused("projects.update", { path: { id: project.id }, body, as: "stranger" })).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
    expect(await api.refused("projects.update", { path: { id: nobody("proj_") }, body })).toEqual({
      status: 404,
      code: "project:not_found",
    });
  });
});

/** Starts a deletion, which waits until its database may be dropped. */
const beginDeletion = async (path: { id: string }) => {
  const { begun, release } = api.databases.hold("drop");
  const deletion = api.send("projects.delete", { path });
  await begun;
  return { deletion, release };
};

describe("projects.delete", () => {
  it("deletes the default database, its connections, its backups and the branches", async () => {
    const { project, database } = await api.project();
    await api.engine.seed.backup(database.id);
    await api.ok("connections.create", { body: { databaseId: database.id, name: "app" } });
    await api.ok("projects.branches.create", { path: { projectId: project.id }, body: { gitName: "dev" } });
    await api.ok("projects.delete", { path: { id: project.id } });
    for (const kind of ["projects", "branches", "databases", "connections", "backups"] as const) {
      expect((await api.store())[kind].size, kind).toBe(0);
    }
    await api.later(0);
    expect(api.databases.databases.size).toBe(0);
    expect(api.databases.backups.size).toBe(0);
  });

  it("deletes a project that never had a database", async () => {
    const { data } = await api.ok("projects.create", { body: { createDatabase: false } });
    await api.ok("projects.delete", { path: { id: data.id } });
    expect((await api.store()).projects.size).toBe(0);
    expect((await api.store()).branches.size).toBe(0);
  });

  it("returns 400 while the project has a non-default database, an app or a service", async () => {
    const elsewhere = await api.project();
    await api.engine.seed.app(elsewhere.project.id);
    const { project } = await api.project();
    const path = { id: project.id };
    const dependencies = { status: 400, code: "project:has_dependencies" };
    const database = await api.database(project.id);
    expect(await api.refused("projects.delete", { path })).toEqual(dependencies);
    await api.ok("databases.delete", { path: { databaseId: database.id } });
    for (const collection of ["apps", "services"] as const) {
      const { data } = await api.ok(`${collection}.create`, {
        body: { projectId: project.id, displayName: "web" },
      });
      expect(await api.refused("projects.delete", { path })).toEqual(dependencies);
      await api.ok("apps.delete", { path: { appId: data.id } });
    }
    await api.ok("projects.delete", { path });
  });

  it("counts a database that was the default one once as a dependency", async () => {
    const { project } = await api.project();
    await api.database(project.id, { isDefault: true });
    const { error } = await api.rejectedWith("projects.delete", { path: { id: project.id } });
    expect(error["message"]).toBe("The project still has 1 non-default database");
  });

  it("cancels the making of its database", async () => {
    const { project } = await api.project({}, { provisioning: true });
    await api.ok("projects.delete", { path: { id: project.id } });
    await api.later();
    expect(api.databases.databases.size).toBe(0);
    expect(api.defects).toEqual([]);
  });

  it("changes nothing and returns 500 when the database cannot be deleted", async () => {
    const { project } = await api.project();
    const stopFailing = api.databases.fail("drop");
    expect(await api.refused("projects.delete", { path: { id: project.id } })).toEqual({
      status: 500,
      code: "internal:error",
    });
    stopFailing();
    await api.ok("projects.delete", { path: { id: project.id } });
  });

  it("refuses new resources in a project while it is being deleted", async () => {
    const { project } = await api.project();
    const { deletion, release } = await beginDeletion({ id: project.id });
    const notFound = { status: 404, code: "project:not_found" };
    const body = { projectId: project.id, displayName: "web" };
    expect(await api.refused("services.create", { body })).toEqual(notFound);
    expect(await api.refused("databases.create", { body: { projectId: project.id } })).toEqual(notFound);
    release();
    expect((await deletion).status).toBe(204);
    expect(
      (await api.store()).projects.size + (await api.store()).apps.size + (await api.store()).databases.size,
    ).toBe(0);
  });

  it("finds no project only after an earlier deletion has succeeded", async () => {
    const { project } = await api.project();
    const path = { id: project.id };
    const { deletion: first, release } = await beginDeletion(path);
    let isAnswered = false;
    const second = api.send("projects.delete", { path }).finally(() => (isAnswered = true));
    await api.ok("projects.get", { path });
    expect(isAnswered).toBe(false);
    release();
    const statuses = (await Promise.all([first, second])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 404]);
    expect(await api.refused("projects.get", { path })).toEqual({ status: 404, code: "project:not_found" });
  });

  it("refuses new resources after a failed deletion while another one is under way", async () => {
    const { project } = await api.project();
    const path = { id: project.id };
    const { deletion: first, release } = await beginDeletion(path);
    const second = api.send("projects.delete", { path });
    await api.ok("projects.get", { path });
    const stopFailing = api.databases.fail("drop");
    release();
    const retried = api.databases.hold("drop");
    expect((await first).status).toBe(500);
    await retried.begun;
    const body = { projectId: project.id, displayName: "web" };
    expect(await api.refused("services.create", { body })).toEqual({
      status: 404,
      code: "project:not_found",
    });
    stopFailing();
    retried.release();
    expect((await second).status).toBe(204);
  });

  it.each([nobody("proj_"), "no-such", "__proto__"])("returns 404 for %s", async (id) => {
    expect(await api.refused("projects.delete", { path: { id } })).toEqual({
      status: 404,
      code: "project:not_found",
    });
  });

  it("returns 404 for another workspace's project, which stays", async () => {
    const { project } = await api.project();
    expect(await api.refused("projects.delete", { path: { id: project.id }, as: "stranger" })).toEqual({
      status: 404,
      code: "project:not_found",
    });
  });
});

it("returns every response that the contract lists for projects", () => {
  expect(unseenResponses("projects.list", "projects.get", "projects.update", "projects.delete")).toEqual([]);
});
