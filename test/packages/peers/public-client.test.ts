import { createManagementApiClient } from "@prisma/management-api-sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";

/**
 * Calls the reference server with the client of Prisma's Management API, which is built on another library. The types in this folder compare
 * the other operations.
 */
const mock = setupMock({ deterministic: "public client" });
const connect = async (token = mock.tokens.user()) =>
  createManagementApiClient({ baseUrl: mock.baseUrl, token: await token });

beforeAll(() => mock.listen());
afterEach(() => mock.reset());
afterAll(() => mock.close());

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Returns the data of a response after checking that it succeeded. */
const expectSuccess = <T>(
  { data, error, response }: { data?: T; error?: unknown; response: Response },
  status: number,
): T => {
  expect({ status: response.status, error }).toEqual({ status, error: undefined });
  if (status !== 204) expect(data).toBeDefined();
  // The type of a 204 response has no data.
  return data as T;
};

describe("@prisma/management-api-sdk against the reference server", () => {
  it("creates, lists, gets, updates, and deletes projects", async () => {
    const client = await connect();
    const body = { name: "shop", region: "eu-central-1", logicalId: "shop", createDatabase: true } as const;
    const { data: created } = expectSuccess(await client.POST("/v1/projects", { body }), 201);
    expect(created).toMatchObject({
      type: "project",
      name: "shop",
      logicalId: "shop",
      defaultRegion: "eu-central-1",
    });
    expect(created.createdAt).toMatch(rfc3339);
    const { database } = created;
    if (!database) throw new Error("no database");
    expect(database).toMatchObject({
      type: "database",
      status: "provisioning",
      isDefault: true,
      source: { type: "empty" },
    });
    expect(database.connectionString).toBe(database.connections[0]?.endpoints.direct?.connectionString);
    expect(database.apiKeys[0]).toMatchObject({ id: database.defaultConnectionId, type: "connection" });
    expect(database.directConnection).toEqual(database.apiKeys[0]?.directConnection);

    const list = expectSuccess(
      await client.GET("/v1/projects", { params: { query: { limit: 1, logicalId: "shop" } } }),
      200,
    );
    expect(list.data.map(({ id }) => id)).toEqual([created.id]);
    expect(list.pagination).toEqual({ nextCursor: null, hasMore: false });

    const params = { path: { id: created.id } };
    expect(expectSuccess(await client.GET("/v1/projects/{id}", { params }), 200).data.url).toBe(created.url);
    const renamed = expectSuccess(
      await client.PATCH("/v1/projects/{id}", { params, body: { name: "store" } }),
      200,
    );
    expect(renamed.data.name).toBe("store");
    expectSuccess(await client.DELETE("/v1/projects/{id}", { params }), 204);
    const gone = await client.GET("/v1/projects/{id}", { params });
    expect(gone.response.status).toBe(404);
    expect(gone.error?.error.code).toBe("project:not_found");
  });

  it("creates, lists, gets, updates, promotes, and deletes apps", async () => {
    const client = await connect();
    const project = await mock.seed.project({ name: "shop" });
    const body = { displayName: "web", projectId: project.id };
    const app = expectSuccess(await client.POST("/v1/apps", { body }), 201).data;
    expect(app).toMatchObject({
      type: "app",
      name: "web",
      latestDeploymentId: null,
      region: { id: "us-east-1" },
    });
    const again = await client.POST("/v1/apps", { body });
    expect(again.response.status).toBe(409);
    expect(again.error?.error).toMatchObject({
      code: "app:already_exists",
      existingAppId: app.id,
      name: "web",
      branchGitName: "main",
      conflict: "name",
      logicalId: null,
    });

    const query = { projectId: project.id };
    expect(expectSuccess(await client.GET("/v1/apps", { params: { query } }), 200).data).toEqual([app]);
    const params = { path: { appId: app.id } };
    expect(expectSuccess(await client.GET("/v1/apps/{appId}", { params }), 200).data).toEqual(app);
    const update = await client.PATCH("/v1/apps/{appId}", { params, body: { logicalId: "web" } });
    expect(expectSuccess(update, 200).data.logicalId).toBe("web");
    const deployment = await mock.seed.deployment(app.id, { status: "running" });
    const promote = await client.POST("/v1/apps/{appId}/promote", {
      params,
      body: { deploymentId: deployment.id },
    });
    expect(expectSuccess(promote, 200).data).toEqual({
      appEndpointDomain: app.appEndpointDomain,
      reassignedDomains: 0,
    });
    expectSuccess(await client.DELETE("/v1/apps/{appId}", { params }), 204);
  });

  it("reads the code, message, and hint of an error", async () => {
    const client = await connect(Promise.resolve("not a token"));
    const { error, response } = await client.GET("/v1/projects");
    expect(response.status).toBe(401);
    expect(error?.error).toMatchObject({
      code: "auth:unauthorized",
      message: expect.any(String),
      hint: expect.any(String),
    });
  });
});
