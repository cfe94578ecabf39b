import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "./api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
});

describe("projects.create", () => {
  it("creates a project with its default database, which is reported as provisioning", async () => {
    const { data } = await api.ok("projects.create", { body: { name: "shop" } });
    expect(data).toMatchObject({
      type: "project",
      url: `https://api.mgmt.test/v1/projects/${data.id}`,
      name: "shop",
      logicalId: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      defaultRegion: null,
      workspace: { id: api.workspaceId },
      database: { type: "database", status: "provisioning", isDefault: true, source: { type: "empty" } },
    });
    expect(data.id).toMatch(/^proj_[a-z0-9]{24}$/);
  });

  it("returns connections and API keys in the create response, with their secrets", async () => {
    const { database } = await api.project({ name: "shop" });
    const [connection] = database.connections;
    const [apiKey] = database.apiKeys;
    expect(database.connections).toHaveLength(1);
    expect(database.apiKeys).toHaveLength(1);
    expect(database.defaultConnectionId).toBe(connection?.id);
    expect(apiKey?.id).toBe(connection?.id);
    expect(apiKey?.connectionString).toBe(connection?.endpoints.direct?.connectionString);
    expect(database.connectionString).toBe(apiKey?.connectionString);
    expect(database.directConnection).toEqual(connection?.directConnection);
    expect(apiKey?.endpoints.direct).toEqual({ host: "db.test", port: 5432 });
    const { user, pass } = database.directConnection ?? {};
    expect(database.connectionString).toBe(
      `postgres://${String(user)}:${String(pass)}@db.test:5432/${database.id}?sslmode=disable`,
    );
  });

  it("includes the secrets in no later response", async () => {
    const { database } = await api.project();
    const answer = JSON.stringify(await api.ok("databases.get", { path: { databaseId: database.id } }));
    expect(answer).not.toContain("postgres://");
    expect(answer).not.toContain("connectionString");
    expect(answer).not.toContain("apiKeys");
  });

  it("treats an absent body as an empty one", async () => {
    const { data } = await api.ok("projects.create");
    expect(data.name).toMatch(/^[a-z]+-[a-z]+-\d+$/);
    expect(data.database?.status).toBe("provisioning");
  });

  it("creates no database when createDatabase is false", async () => {
    const { data } = await api.ok("projects.create", { body: { createDatabase: false } });
    expect(data.database).toBeNull();
    const { data: databases } = await api.ok("projects.databases.list", { path: { projectId: data.id } });
    expect(databases).toEqual([]);
  });

  it("creates the database in the project's region, or in us-east-1", async () => {
    const placed = await api.project({ region: "eu-west-3" });
    expect(placed.project.defaultRegion).toBe("eu-west-3");
    expect(placed.database.region).toEqual({ id: "eu-west-3", name: "Europe (Paris)" });
    const unplaced = await api.project();
    expect(unplaced.project.defaultRegion).toBeNull();
    expect(unplaced.database.region.id).toBe("us-east-1");
  });

  it("creates one default branch, main, in production, with the database", async () => {
    const { project, database } = await api.project();
    const { data } = await api.ok("projects.branches.list", { path: { projectId: project.id } });
    expect(data).toMatchObject([{ gitName: "main", isDefault: true, role: "production" }]);
    expect(database.branchId).toBe(data[0]?.id);
  });

  it("accepts a repeated name", async () => {
    await api.project({ name: "shop" });
    await api.project({ name: "shop" });
    const { data } = await api.ok("projects.list");
    expect(data.map(({ name }) => name)).toEqual(["shop", "shop"]);
  });

  it("accepts the credential's own workspaceId, with and without its prefix", async () => {
    for (const workspaceId of [api.workspaceId, api.workspaceId.slice("wksp_".length)]) {
      const { data } = await api.ok("projects.create", { body: { workspaceId } });
      expect(data.workspace.id).toBe(api.workspaceId);
    }
  });

  it("allows a service token and an agent to create", async () => {
    for (const as of ["service", "agent"] as const) {
      const { data } = await api.ok("projects.create", { as });
      expect(data.workspace.id).toBe(api.workspaceId);
    }
  });

  it("rejects another workspaceId than the credential's own with 403", async () => {
    for (const workspaceId of [api.strangerWorkspaceId, nobody("wksp_")]) {
      expect(await api.refused("projects.create", { body: { workspaceId } })).toEqual({
        status: 403,
        code: "auth:forbidden",
      });
    }
  });

  it("rejects a logicalId that is taken in the workspace with 409, and accepts it in another", async () => {
    await api.project({ logicalId: "shop" });
    expect(await api.refused("projects.create", { body: { logicalId: "shop" } })).toEqual({
      status: 409,
      code: "project:logical_id_conflict",
    });
    const { project } = await api.project({ logicalId: "shop" }, { as: "stranger" });
    expect(project.logicalId).toBe("shop");
  });

  it("accepts a logicalId again after its project is deleted", async () => {
    const { project } = await api.project({ logicalId: "shop" });
    await api.ok("projects.delete", { path: { id: project.id } });
    const { data } = await api.ok("projects.create", { body: { logicalId: "shop" } });
    expect(data.logicalId).toBe("shop");
  });

  it.each([
    ["an unknown field", { colour: "red" }, "/colour"],
    ["an empty name", { name: "" }, "/name"],
    ["a name that is too long", { name: "n".repeat(257) }, "/name"],
    ["a name of another type", { name: 7 }, "/name"],
    ["a null name", { name: null }, "/name"],
    ["createDatabase as text", { createDatabase: "false" }, "/createDatabase"],
    ["a region that does not exist", { region: "mars-1" }, "/region"],
    ["inherit as a region", { region: "inherit" }, "/region"],
    ["an empty logicalId", { logicalId: "" }, "/logicalId"],
    ["a logicalId that begins with a hyphen", { logicalId: "-shop" }, "/logicalId"],
    ["a logicalId with a space", { logicalId: "my shop" }, "/logicalId"],
    ["a logicalId of 256 characters", { logicalId: "a".repeat(256) }, "/logicalId"],
    ["a malformed workspaceId", { workspaceId: "wksp_no-such" }, "/workspaceId"],
    ["a body that is a list", [], ""],
    ["a body that is null", null, ""],
  ])("rejects %s with 422", async (_, body, path) => {
    expect(await api.issues("projects.create", { body })).toEqual([path]);
  });

  it("accepts a logicalId of 255 characters", async () => {
    const logicalId = `a${"._-B9".repeat(50)}abcd`;
    expect(logicalId).toHaveLength(255);
    const { data } = await api.ok("projects.create", { body: { logicalId } });
    expect(data.logicalId).toBe(logicalId);
  });
});

it("returns every response that the contract lists for the creation of a project", () => {
  expect(unseenResponses("projects.create")).toEqual([]);
});
