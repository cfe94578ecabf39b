import { createManagementApiClient } from "@prisma/management-api-sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";

/** Calls each documented operation of the reference server once with the client of Prisma's Management API. */
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

  it("transfers a project", async () => {
    const client = await connect();
    const { id } = await mock.seed.project({ name: "shop" });
    const recipientAccessToken = await mock.tokens.otherUser();
    expectSuccess(
      await client.POST("/v1/projects/{id}/transfer", {
        params: { path: { id } },
        body: { recipientAccessToken },
      }),
      204,
    );
    const recipient = await connect(mock.tokens.otherUser());
    expect(
      expectSuccess(await recipient.GET("/v1/projects/{id}", { params: { path: { id } } }), 200).data.id,
    ).toBe(id);
  });

  it("creates, lists, restores, and deletes databases", async () => {
    const client = await connect();
    const project = await mock.seed.project({ name: "shop" });
    const path = { projectId: project.id };
    const body = { name: "reports", region: "inherit", isDefault: false } as const;
    const created = expectSuccess(
      await client.POST("/v1/projects/{projectId}/databases", { params: { path }, body }),
      201,
    ).data;
    expect(created).toMatchObject({
      status: "provisioning",
      project: { id: project.id },
      region: { id: "us-east-1" },
    });
    expect(created.connectionString).toMatch(/^postgres(ql)?:\/\//);

    const { data } = expectSuccess(
      await client.GET("/v1/projects/{projectId}/databases", { params: { path } }),
      200,
    );
    expect(data.map(({ id }) => id)).toEqual([project.database?.id, created.id]);
    expect(data[0]?.connections[0]?.endpoints.direct).not.toHaveProperty("connectionString");

    await mock.states.setDatabaseStatus(created.id, "ready");
    const backup = await mock.seed.backup(created.id);
    const source = { type: "backup", databaseId: created.id, backupId: backup.id } as const;
    const target = { params: { path: { targetDatabaseId: created.id } } };
    const restored = expectSuccess(
      await client.POST("/v1/databases/{targetDatabaseId}/restore", { ...target, body: { source } }),
      200,
    );
    expect(restored.data).toMatchObject({ status: "recovering", source });

    expectSuccess(
      await client.DELETE("/v1/databases/{databaseId}", { params: { path: { databaseId: created.id } } }),
      204,
    );
  });

  it("creates and rotates connections", async () => {
    const client = await connect();
    const { database } = await mock.seed.project({ name: "shop" });
    if (!database) throw new Error("no database");
    const params = { path: { databaseId: database.id } };
    const created = expectSuccess(
      await client.POST("/v1/databases/{databaseId}/connections", { params, body: { name: "worker" } }),
      200,
    ).data;
    expect(created.connectionString).toContain(String(created.pass));
    const rotated = expectSuccess(
      await client.POST("/v1/connections/{id}/rotate", { params: { path: { id: created.id } } }),
      200,
    ).data;
    expect(rotated.id).toBe(created.id);
    expect(rotated.pass).not.toBe(created.pass);
  });

  it("lists, gets, and deletes integrations by either path", async () => {
    const client = await connect();
    const { integration } = await mock.seed.integration({ clientName: "Acme Deploy" });
    const workspaceId = mock.defaults.workspace.id;
    const flat = expectSuccess(
      await client.GET("/v1/integrations", { params: { query: { workspaceId } } }),
      200,
    );
    const nested = expectSuccess(
      await client.GET("/v1/workspaces/{workspaceId}/integrations", { params: { path: { workspaceId } } }),
      200,
    );
    expect(nested.data.map(({ id }) => id)).toEqual(flat.data.map(({ id }) => id));
    const params = { path: { id: integration.id } };
    const one = expectSuccess(await client.GET("/v1/integrations/{id}", { params }), 200).data;
    expect(one).toMatchObject({
      client: { name: "Acme Deploy" },
      createdByUser: { email: expect.any(String) },
    });
    expectSuccess(await client.DELETE("/v1/integrations/{id}", { params }), 204);

    const { client: other } = await mock.seed.integration();
    const path = { workspaceId, clientId: other.id };
    expectSuccess(
      await client.DELETE("/v1/workspaces/{workspaceId}/integrations/{clientId}", { params: { path } }),
      204,
    );
    const left = expectSuccess(
      await client.GET("/v1/integrations", { params: { query: { workspaceId } } }),
      200,
    ).data;
    expect(left.map(({ client: { id } }) => id)).not.toContain(other.id);
  });

  it("lists service tokens and regions", async () => {
    const client = await connect();
    const [workspace] = mock.store.workspaces.list({});
    if (!workspace) throw new Error("no workspace");
    const path = { workspaceId: workspace.id };
    const tokens = expectSuccess(
      await client.GET("/v1/workspaces/{workspaceId}/service-tokens", { params: { path } }),
      200,
    );
    expect(tokens.data[0]).toMatchObject({ type: "serviceToken", expiresAt: null });
    const regions = expectSuccess(await client.GET("/v1/regions/postgres"), 200);
    expect(regions.data).toHaveLength(6);
    expect(regions.data[0]).toMatchObject({ type: "region", status: "available" });
  });

  it("gets an approval as the waiting agent", async () => {
    const client = await connect(mock.tokens.agent());
    const project = await mock.seed.project({ name: "shop" });
    const refused = await client.DELETE("/v1/projects/{id}", { params: { path: { id: project.id } } });
    expect(refused.response.status).toBe(403);
    const [pending] = mock.approvals.list();
    const approvalId = pending?.id ?? "";
    const approval = expectSuccess(
      await client.GET("/v1/agent-approvals/{approvalId}", { params: { path: { approvalId } } }),
      200,
    );
    expect(approval).toMatchObject({
      id: approvalId,
      status: "pending",
      windowExpiresAt: null,
      decidedAt: null,
    });
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
