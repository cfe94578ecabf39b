import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, sourceResponses, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
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

  it("announces its logins before it exists", async () => {
    const { database } = await api.project({}, { provisioning: true });
    const { id: databaseId, defaultConnectionId: connectionId, directConnection } = database;
    const { user, pass } = directConnection ?? {};
    expect(api.databases.passwords(databaseId)).toBeUndefined();
    expect(api.databases.announced).toEqual([{ databaseId, connectionId, user, pass }]);
    const { data: early } = await api.ok("connections.create", { body: { databaseId, name: "early" } });
    expect(api.databases.announced.slice(1)).toMatchObject([
      { databaseId, connectionId: early.id, user: early.user, pass: early.pass },
    ]);
  });

  it("announces no login when the request is refused, or the database exists, or could not be created", async () => {
    const { project } = await api.project();
    const { id } = await api.database(project.id, { logicalId: "main" });
    const refused = { body: { projectId: project.id, logicalId: "main" } };
    const { length } = api.databases.announced;
    expect(await api.refused("databases.create", refused)).toMatchObject({ status: 409 });
    await api.ok("connections.create", { body: { databaseId: id, name: "late" } });
    expect(api.databases.announced).toHaveLength(length);
    api.databases.fail("create");
    const failed = await api.database(project.id);
    expect(await api.status(failed.id)).toBe("failure");
    await api.ok("connections.create", { body: { databaseId: failed.id, name: "late" } });
    expect(api.databases.announced).toHaveLength(length + 1);
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

  it("preserves the status that the control surface has set while it was being created", async () => {
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
      expect(database.region?.id).toBe(expected);
    },
  );

  it("becomes the default database only when asked, also as the first one", async () => {
    const { data: project } = await api.ok("projects.create", { body: { createDatabase: false } });
    expect((await api.database(project.id)).isDefault).toBe(false);
    expect((await api.database(project.id, { isDefault: true })).isDefault).toBe(true);
  });

  it("moves the default, after which the old one can be deleted", async () => {
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
    expect((await api.store()).branches.size).toBe(1);
  });
});

it("returns every response that the contract lists for the creation of a database, except those of the sources", () => {
  const unseen = unseenResponses("projects.databases.create", "databases.create");
  expect(unseen.filter((response) => !sourceResponses.includes(response))).toEqual([]);
});
