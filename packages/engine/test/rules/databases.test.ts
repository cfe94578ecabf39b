import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, sourceResponses, unseenResponses } from "./api.js";

let api: Api;
beforeEach(() => {
  api = new Api();
});

describe("projects.databases.create", () => {
  it("creates an empty database on the default branch, with its secrets", async () => {
    const { project } = await api.project();
    const { data } = await api.ok("projects.databases.create", {
      path: { projectId: project.id },
      body: { name: "reports", region: "ap-southeast-1" },
    });
    expect(data).toMatchObject({
      type: "database",
      url: `https://api.mgmt.test/v1/databases/${data.id}`,
      name: "reports",
      status: "provisioning",
      isDefault: false,
      region: { id: "ap-southeast-1" },
      source: { type: "empty" },
      logicalId: null,
      project: { id: project.id },
    });
    expect(data.apiKeys.map(({ id }) => id)).toEqual([data.defaultConnectionId]);
    expect(data.connectionString).toContain(`:${String(data.directConnection?.pass)}@`);
  });

  it("accepts an absent body, and generates a readable name", async () => {
    const { project } = await api.project();
    const { data } = await api.ok("projects.databases.create", { path: { projectId: project.id } });
    expect(data.name).toMatch(/^[a-z]+-[a-z]+-\d+$/);
    expect(data.region.id).toBe("us-east-1");
  });

  it("changes from provisioning to ready, and opens with the returned credentials", async () => {
    const { database } = await api.project({}, { provisioning: true });
    expect(await api.status(database.id)).toBe("provisioning");
    expect(api.databases.passwords(database.id)).toBeUndefined();
    await api.later();
    expect(await api.status(database.id)).toBe("ready");
    expect(api.databases.passwords(database.id)).toEqual({
      [database.defaultConnectionId ?? ""]: database.directConnection?.pass,
    });
  });

  it("changes from provisioning to failure when it cannot be created", async () => {
    api.databases.fail("create");
    const { database } = await api.project();
    expect(await api.status(database.id)).toBe("failure");
    expect(api.defects).toEqual([new Error("The database engine cannot create")]);
  });

  it("creates it after the control surface sets failure and then ready", async () => {
    const { database } = await api.project({}, { provisioning: true });
    await api.engine.states.setDatabaseStatus(database.id, "failure");
    await api.engine.states.setDatabaseStatus(database.id, "ready");
    expect(api.databases.passwords(database.id)).toBeDefined();
  });

  it("stays as the control surface has set it while it was being made", async () => {
    const { database } = await api.project({}, { provisioning: true });
    const { begun, release } = api.databases.hold("create");
    const making = api.later();
    await begun;
    await api.engine.states.setDatabaseStatus(database.id, "failure");
    release();
    await making;
    expect(await api.status(database.id)).toBe("failure");
    expect(api.databases.passwords(database.id)).toBeDefined();
  });

  it.each([
    [{ region: "eu-west-3" }, undefined, "eu-west-3"],
    [{}, "ap-northeast-1", "ap-northeast-1"],
    [{}, undefined, "us-east-1"],
  ])(
    "inherits the region of %o, else of its default database, else us-east-1",
    async (body, defaultRegion, expected) => {
      const { data: project } = await api.ok("projects.create", { body: { createDatabase: false, ...body } });
      if (defaultRegion) await api.database(project.id, { region: defaultRegion, isDefault: true });
      const database = await api.database(project.id, { region: "inherit" });
      expect(database.region.id).toBe(expected);
    },
  );

  it("becomes the default database only when asked, also as the first one", async () => {
    const { data: project } = await api.ok("projects.create", { body: { createDatabase: false } });
    expect((await api.database(project.id)).isDefault).toBe(false);
    expect((await api.database(project.id, { isDefault: true })).isDefault).toBe(true);
  });

  it("moves the default, and the old one may then be deleted", async () => {
    const { project, database: old } = await api.project();
    const { id } = await api.database(project.id, { isDefault: true });
    const { data } = await api.ok("projects.databases.list", { path: { projectId: project.id } });
    expect(data.map((row) => [row.id, row.isDefault])).toEqual([
      [old.id, false],
      [id, true],
    ]);
    await api.ok("databases.delete", { path: { databaseId: old.id } });
  });

  it.each([
    ["an unknown field", { branchId: "br_abcdefgh" }, "/branchId"],
    ["an empty name", { name: "" }, "/name"],
    ["a name that is too long", { name: "n".repeat(257) }, "/name"],
    ["a region that does not exist", { region: "moon-1" }, "/region"],
    ["isDefault as text", { isDefault: "yes" }, "/isDefault"],
  ])("rejects %s with 422", async (_, body, path) => {
    const { project } = await api.project();
    const asked = { path: { projectId: project.id }, body };
    expect(await api.issues("projects.databases.create", asked)).toEqual([path]);
  });

  it("returns 403 for another workspace's project and 404 for none", async () => {
    const { project } = await api.project({}, { as: "stranger" });
    expect(await api.refused("projects.databases.create", { path: { projectId: project.id } })).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
    const notFound = { status: 404, code: "project:not_found" };
    const projectId = nobody("proj_");
    expect(await api.refused("projects.databases.create", { path: { projectId } })).toEqual(notFound);
    expect(await api.refused("databases.create", { body: { projectId } })).toEqual(notFound);
  });
});

describe("databases.create", () => {
  it("returns the new database without API keys, with connection strings only in the endpoints", async () => {
    const { project } = await api.project();
    const { data } = await api.ok("databases.create", { body: { projectId: project.id } });
    expect(data).toMatchObject({
      status: "provisioning",
      defaultConnectionId: data.connections[0]?.id,
      project: { id: project.id },
    });
    for (const absent of ["apiKeys", "connectionString", "directConnection"]) {
      expect(data).not.toHaveProperty(absent);
    }
    for (const endpoint of Object.values(data.connections[0]?.endpoints ?? {})) {
      expect(endpoint.connectionString).toMatch(/^postgres:/);
    }
    const { data: known } = await api.ok("databases.get", { path: { databaseId: data.id } });
    expect(JSON.stringify(known)).not.toContain("connectionString");
    const issued = await api.ok("connections.create", { body: { databaseId: data.id, name: "web" } });
    expect(issued.data.connectionString).toMatch(/^postgres:/);
  });

  it("creates the branch of branchGitName when it does not exist, and uses it when it does", async () => {
    const { project } = await api.project();
    const first = await api.database(project.id, { branchGitName: "feature/cart" });
    const second = await api.database(project.id, { branchGitName: "feature/cart" });
    expect(second.branchId).toBe(first.branchId);
    const { data } = await api.ok("branches.get", { path: { branchId: first.branchId ?? "" } });
    expect(data).toMatchObject({ gitName: "feature/cart", role: "preview", isDefault: false });
  });

  it("uses the branch of branchId, or else the default branch", async () => {
    const { project } = await api.project();
    const branch = await api.engine.seed.branch(project.id, { gitName: "dev" });
    const bare = branch.id.slice("br_".length);
    expect((await api.database(project.id, { branchId: bare })).branchId).toBe(branch.id);
    await api.ok("branches.update", { path: { branchId: branch.id }, body: { isDefault: true } });
    expect((await api.database(project.id)).branchId).toBe(branch.id);
  });

  it("rejects a logicalId that is taken on the branch with 409, and accepts it on another", async () => {
    const { project } = await api.project();
    const branch = await api.engine.seed.branch(project.id);
    await api.database(project.id, { logicalId: "main-db" });
    const body = { projectId: project.id, logicalId: "main-db" };
    expect(await api.refused("databases.create", { body })).toEqual({
      status: 409,
      code: "database:logical_id_conflict",
    });
    const { data } = await api.ok("databases.create", { body: { ...body, branchId: branch.id } });
    expect(data.logicalId).toBe("main-db");
  });

  it.each([
    ["no projectId", { projectId: undefined }, "/projectId"],
    ["branchId with branchGitName", { branchId: "br_abcdefgh", branchGitName: "dev" }, "/branchGitName"],
    ["logicalId with branchGitName", { logicalId: "a", branchGitName: "dev" }, "/logicalId"],
    ["an empty branchGitName", { branchGitName: "" }, "/branchGitName"],
    ["a null branchId", { branchId: null }, "/branchId"],
    ["a null branchGitName", { branchGitName: null }, "/branchGitName"],
    ["a malformed branchId", { branchId: "br_UPPER" }, "/branchId"],
    ["a malformed projectId", { projectId: "no-such" }, "/projectId"],
    ["a null logicalId", { logicalId: null }, "/logicalId"],
    ["a logicalId that is too long", { logicalId: "a".repeat(256) }, "/logicalId"],
  ])("rejects %s with 422", async (_, fields, path) => {
    const { project } = await api.project();
    expect(await api.issues("databases.create", { body: { projectId: project.id, ...fields } })).toEqual([
      path,
    ]);
  });

  it("returns 404 branch:not_found for a branch that is not a live one of the project", async () => {
    const { project } = await api.project();
    const { database: elsewhere } = await api.project();
    const { database: foreign } = await api.project({}, { as: "stranger" });
    const gone = await api.engine.seed.branch(project.id);
    await api.ok("branches.delete", { path: { branchId: gone.id } });
    for (const branchId of [elsewhere.branchId, foreign.branchId, gone.id, nobody("br_")]) {
      expect(await api.refused("databases.create", { body: { projectId: project.id, branchId } })).toEqual({
        status: 404,
        code: "branch:not_found",
      });
    }
  });

  it("checks the source before the logicalId", async () => {
    const { project } = await api.project();
    await api.database(project.id, { logicalId: "taken" });
    const source = { type: "database", databaseId: nobody("db_") };
    const body = { projectId: project.id, logicalId: "taken", source };
    expect((await api.refused("databases.create", { body })).code).toBe("database:not_found");
  });

  it("creates no branch when the database is refused", async () => {
    const { project } = await api.project();
    const body = {
      projectId: project.id,
      branchGitName: "dev",
      source: { type: "database", databaseId: nobody("db_") },
    };
    expect(await api.refused("databases.create", { body })).toEqual({
      status: 404,
      code: "database:not_found",
    });
    expect(api.store.branches.size).toBe(1);
  });
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

  it("moves to a branch of the project, made when it does not exist", async () => {
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
    expect(api.store.backups.size).toBe(0);
    expect(
      await api.refused("connections.get", { path: { id: database.defaultConnectionId ?? "" } }),
    ).toEqual({ status: 404, code: "connection:not_found" });
    expect(await api.refused("databases.delete", { path: { databaseId: database.id } })).toEqual({
      status: 404,
      code: "database:not_found",
    });
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
    expect(api.store.databases.size).toBe(1);
    expect(api.defects).toEqual([]);
  });

  it("returns 500 and preserves the database when it cannot be deleted", async () => {
    const { project } = await api.project();
    const database = await api.database(project.id);
    const mend = api.databases.fail("drop");
    expect(await api.refused("databases.delete", { path: { databaseId: database.id } })).toEqual({
      status: 500,
      code: "internal:error",
    });
    expect(api.databases.passwords(database.id)).toBeDefined();
    mend();
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
    const mend = api.databases.fail("drop");
    const { begun, release } = api.databases.hold("drop");
    const deletion = api.send("databases.delete", { path: { databaseId: database.id } });
    await begun;
    const making = api.later();
    release();
    expect((await deletion).status).toBe(500);
    mend();
    await making;
    expect(await api.status(database.id)).toBe("ready");
  });

  it("deletes a backup's data in the end, even when that fails at first", async () => {
    const { project } = await api.project();
    const database = await api.database(project.id);
    await api.engine.seed.backup(database.id);
    const mend = api.databases.fail("dropBackup");
    await api.ok("databases.delete", { path: { databaseId: database.id } });
    await api.later(0);
    expect(api.databases.backups.size).toBe(1);
    mend();
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
    expect(replies.map(({ status }) => status)).toEqual([204, 404]);
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

it("returns every response that the contract lists for databases, except those of their sources", () => {
  const unseen = unseenResponses(
    "projects.databases.list",
    "projects.databases.create",
    "databases.list",
    "databases.create",
    "databases.get",
    "databases.update",
    "databases.delete",
  );
  expect(unseen.filter((answer) => !sourceResponses.includes(answer))).toEqual([]);
});
