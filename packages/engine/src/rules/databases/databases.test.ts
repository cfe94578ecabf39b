import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
});

describe("databases.list", () => {
  it("shows the workspace's databases, oldest first, with their connections", async () => {
    const { project, database } = await api.project();
    await api.project({}, { as: "stranger" });
    const second = await api.database(project.id);
    const { data } = await api.ok("databases.list");
    expect(data.map(({ id }) => id)).toEqual([database.id, second.id]);
    expect(data[0]?.connections.map(({ id }) => id)).toEqual([database.defaultConnectionId]);
    expect(JSON.stringify(data)).not.toContain("connectionString");
  });

  it("filters by project, logicalId, branchId, unassigned and branchGitName", async () => {
    const { project, database } = await api.project();
    const { project: other } = await api.project();
    const declared = await api.database(project.id, { logicalId: "reports" });
    const dev = await api.database(project.id, { branchGitName: "dev" });
    const list = async (query: Record<string, string>) =>
      (await api.ok("databases.list", { query })).data.map(({ id }) => id);
    expect(await list({ projectId: project.id })).toEqual([database.id, declared.id, dev.id]);
    expect(await list({ projectId: other.id, logicalId: "reports" })).toEqual([]);
    expect(await list({ logicalId: "reports" })).toEqual([declared.id]);
    expect(await list({ branchId: dev.branchId ?? "" })).toEqual([dev.id]);
    expect(await list({ branchId: "unassigned" })).toEqual([]);
    expect(await list({ branchGitName: "dev" })).toEqual([dev.id]);
    expect(await list({ branchGitName: "main", projectId: project.id })).toEqual([database.id, declared.id]);
  });

  it("returns an empty list for another workspace's project and for an unknown one", async () => {
    const { project } = await api.project({}, { as: "stranger" });
    for (const projectId of [project.id, nobody("proj_")]) {
      expect((await api.ok("databases.list", { query: { projectId } })).data).toEqual([]);
    }
  });

  it.each([
    ["branchId=unassigned&branchGitName=dev", "query/branchGitName"],
    ["projectId=no-such", "query/projectId"],
    ["branchId=NO", "query/branchId"],
    ["branchGitName=", "query/branchGitName"],
    ["projectId=", "query/projectId"],
    ["logicalId=a&logicalId=b", "query/logicalId"],
  ])("rejects ?%s with 422", async (query, path) => {
    expect(await api.issues("databases.list", { query })).toEqual([path]);
  });
});

describe("projects.databases.list", () => {
  it("pages through the project's databases", async () => {
    await api.project();
    const { project, database } = await api.project();
    const second = await api.database(project.id);
    const path = { projectId: project.id };
    const { data, pagination } = await api.ok("projects.databases.list", { path, query: { limit: 1 } });
    expect(data.map(({ id }) => id)).toEqual([database.id]);
    const next = await api.ok("projects.databases.list", {
      path,
      query: { cursor: pagination.nextCursor ?? "" },
    });
    expect(next.data.map(({ id }) => id)).toEqual([second.id]);
  });

  it("returns 404 for another workspace's project and for none, 422 for a malformed id", async () => {
    const { project } = await api.project({}, { as: "stranger" });
    for (const projectId of [project.id, nobody("proj_")]) {
      expect(await api.refused("projects.databases.list", { path: { projectId } })).toEqual({
        status: 404,
        code: "project:not_found",
      });
    }
    expect(await api.issues("projects.databases.list", { path: { projectId: "no-such" } })).toEqual([
      "path/projectId",
    ]);
  });
});

describe("databases.get", () => {
  it("returns 404 for none, also for a malformed id, and 403 for another workspace's", async () => {
    const { database } = await api.project({}, { as: "stranger" });
    for (const databaseId of [nobody("db_"), "no-such", "__proto__"]) {
      expect(await api.refused("databases.get", { path: { databaseId } })).toEqual({
        status: 404,
        code: "database:not_found",
      });
    }
    expect(await api.refused("databases.get", { path: { databaseId: database.id } })).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
  });
});

describe("databases.update", () => {
  const update = (databaseId: string, body: unknown) => ({ path: { databaseId }, body });

  it("renames, and sets, keeps, changes and clears the logicalId", async () => {
    const { database } = await api.project();
    for (const [body, expected] of [
      [{ name: "reports" }, { name: "reports", logicalId: null }],
      [{ logicalId: "a" }, { name: "reports", logicalId: "a" }],
      [{ logicalId: "a" }, { name: "reports", logicalId: "a" }],
      [{ logicalId: "b" }, { name: "reports", logicalId: "b" }],
      [{ logicalId: null }, { name: "reports", logicalId: null }],
      [{}, { name: "reports", logicalId: null }],
    ] as const) {
      const { data } = await api.ok("databases.update", update(database.id, body));
      expect(data).toMatchObject(expected);
    }
  });

  it("moves to a branch of the project, which is created if it does not exist", async () => {
    const { project, database } = await api.project();
    const branch = await api.engine.seed.branch(project.id);
    const moved = await api.ok("databases.update", update(database.id, { branchId: branch.id }));
    expect(moved.data.branchId).toBe(branch.id);
    const { data } = await api.ok("databases.update", update(database.id, { branchGitName: "new" }));
    const made = await api.ok("branches.get", { path: { branchId: data.branchId ?? "" } });
    expect(made.data.gitName).toBe("new");
  });

  it("rejects a logicalId that is taken on the branch, and a move to a branch where it is, with 409", async () => {
    const { project, database } = await api.project();
    const branch = await api.engine.seed.branch(project.id);
    await api.database(project.id, { logicalId: "a" });
    const moving = await api.database(project.id, { logicalId: "a", branchId: branch.id });
    const conflict = { status: 409, code: "database:logical_id_conflict" };
    expect(await api.refused("databases.update", update(database.id, { logicalId: "a" }))).toEqual(conflict);
    expect(await api.refused("databases.update", update(moving.id, { branchGitName: "main" }))).toEqual(
      conflict,
    );
  });

  it.each([
    ["logicalId with branchId", { logicalId: "a", branchId: "br_abcdefgh" }, "/logicalId"],
    ["logicalId with branchGitName", { logicalId: "a", branchGitName: "dev" }, "/logicalId"],
    ["branchId with branchGitName", { branchId: "br_abcdefgh", branchGitName: "dev" }, "/branchGitName"],
    ["a null branchId", { branchId: null }, "/branchId"],
    ["an unknown field", { isDefault: true }, "/isDefault"],
    ["a null name", { name: null }, "/name"],
    ["no body", undefined, ""],
  ])("rejects %s with 422", async (_, body, path) => {
    const { database } = await api.project();
    expect(await api.issues("databases.update", update(database.id, body))).toEqual([path]);
  });

  it("returns 404 for no database and for no branch, 403 for another workspace's", async () => {
    const { database } = await api.project();
    const { database: foreign } = await api.project({}, { as: "stranger" });
    const body = { name: "mine" };
    expect(await api.refused("databases.update", update(nobody("db_"), body))).toEqual({
      status: 404,
      code: "database:not_found",
    });
    expect(await api.refused("databases.update", update(foreign.id, body))).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
    expect(
      await api.refused("databases.update", update(database.id, { branchId: foreign.branchId })),
    ).toEqual({ status: 404, code: "branch:not_found" });
  });
});

describe("databases.delete", () => {
  it("deletes data, connections and backups", async () => {
    const { project } = await api.project();
    const database = await api.database(project.id);
    await api.engine.seed.backup(database.id);
    await api.ok("databases.delete", { path: { databaseId: database.id } });
    await api.later(0);
    expect(api.databases.passwords(database.id)).toBeUndefined();
    expect(api.databases.backups.size).toBe(0);
    expect((await api.store()).backups.size).toBe(0);
    expect(
      await api.refused("connections.get", { path: { id: database.defaultConnectionId ?? "" } }),
    ).toEqual({ status: 404, code: "connection:not_found" });
    expect(await api.refused("databases.delete", { path: { databaseId: database.id } })).toEqual({
      status: 404,
      code: "database:not_found",
    });
  });

  it("shows the database as failed until it is gone, and never as ready", async () => {
    const { project } = await api.project();
    const { id: databaseId } = await api.database(project.id);
    const { begun, release } = api.databases.hold("drop");
    const deleted = api.ok("databases.delete", { path: { databaseId } });
    await begun;
    const { data: all } = await api.ok("databases.list");
    const { data: own } = await api.ok("projects.databases.list", { path: { projectId: project.id } });
    const { data: one } = await api.ok("databases.get", { path: { databaseId } });
    for (const shown of [all, own].map((list) => list.find(({ id }) => id === databaseId)))
      expect(shown).toMatchObject({ status: "failure" });
    expect(one.status).toBe("failure");
    release();
    await deleted;
    expect((await api.ok("databases.list")).data.map(({ id }) => id)).not.toContain(databaseId);
  });

  it("rejects the default database with 403, because it is deleted with its project", async () => {
    const { database } = await api.project();
    expect(await api.refused("databases.delete", { path: { databaseId: database.id } })).toEqual({
      status: 403,
      code: "database:default_protected",
    });
  });

  it("cancels the making of a database, before and after it has begun", async () => {
    const { project } = await api.project();
    const early = await api.database(project.id, {}, { provisioning: true });
    await api.ok("databases.delete", { path: { databaseId: early.id } });

    const late = await api.database(project.id, {}, { provisioning: true });
    const { begun, release } = api.databases.hold("create");
    const making = api.later();
    await begun;
    await api.ok("databases.delete", { path: { databaseId: late.id } });
    await making;
    release();
    await api.later();
    expect(api.databases.databases.size).toBe(1);
    expect((await api.store()).databases.size).toBe(1);
    expect(api.defects).toEqual([]);
  });

  it("returns 500 and preserves the database when it cannot be deleted", async () => {
    const { project } = await api.project();
    const database = await api.database(project.id);
    const stopFailing = api.databases.fail("drop");
    expect(await api.refused("databases.delete", { path: { databaseId: database.id } })).toEqual({
      status: 500,
      code: "internal:error",
    });
    expect(api.databases.passwords(database.id)).toBeDefined();
    stopFailing();
    await api.ok("databases.delete", { path: { databaseId: database.id } });
  });

  it.each(Array.from({ length: 20 }, (_, index) => index))(
    "cancels the creation of a database, whenever that starts (%i)",
    async (ticks) => {
      const { project } = await api.project();
      const database = await api.database(project.id, {}, { provisioning: true });
      const { release } = api.databases.hold("create");
      const making = api.later();
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      await api.ok("databases.delete", { path: { databaseId: database.id } });
      release();
      await making;
      expect(api.databases.databases.size).toBe(1);
      expect(api.defects).toEqual([]);
    },
  );

  it("creates a database after all when it could not be deleted while its creation was pending", async () => {
    const { project } = await api.project();
    const database = await api.database(project.id, {}, { provisioning: true });
    const stopFailing = api.databases.fail("drop");
    const { begun, release } = api.databases.hold("drop");
    const deletion = api.send("databases.delete", { path: { databaseId: database.id } });
    await begun;
    const making = api.later();
    release();
    expect((await deletion).status).toBe(500);
    stopFailing();
    await making;
    expect(await api.status(database.id)).toBe("ready");
  });

  it("deletes a backup's data in the end, even when that fails at first", async () => {
    const { project } = await api.project();
    const database = await api.database(project.id);
    await api.engine.seed.backup(database.id);
    const stopFailing = api.databases.fail("dropBackup");
    await api.ok("databases.delete", { path: { databaseId: database.id } });
    await api.later(0);
    expect(api.databases.backups.size).toBe(1);
    stopFailing();
    await api.later(60_000);
    expect(api.databases.backups.size).toBe(0);
  });

  it("deletes once when asked twice at the same time", async () => {
    const { project } = await api.project();
    const { id: databaseId } = await api.database(project.id);
    const replies = await Promise.all([
      api.send("databases.delete", { path: { databaseId } }),
      api.send("databases.delete", { path: { databaseId } }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it("returns 404 for none, also for a malformed id, and 403 for another workspace's", async () => {
    const { database } = await api.project({}, { as: "stranger" });
    for (const databaseId of [nobody("db_"), "no-such"]) {
      expect(await api.refused("databases.delete", { path: { databaseId } })).toEqual({
        status: 404,
        code: "database:not_found",
      });
    }
    expect(await api.refused("databases.delete", { path: { databaseId: database.id } })).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
  });
});

it("returns every response that the contract lists for databases", () => {
  expect(
    unseenResponses(
      "projects.databases.list",
      "databases.list",
      "databases.get",
      "databases.update",
      "databases.delete",
    ),
  ).toEqual([]);
});
