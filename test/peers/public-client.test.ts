import { createManagementApiClient } from "@prisma/management-api-sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";

/** The public service's own typed client against the reference server: each documented operation once, as it is typed. */
const mock = setupMock({ seed: "public client" });
const connect = async (token = mock.tokens.user()) =>
  createManagementApiClient({ baseUrl: mock.baseUrl, token: await token });

beforeAll(() => mock.listen());
afterEach(() => mock.reset());
afterAll(() => mock.close());

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** What openapi-fetch answers, once it is sure to be a success. */
const good = <T>(
  { data, error, response }: { data?: T; error?: unknown; response: Response },
  status: number,
): T => {
  expect({ status: response.status, error }).toEqual({ status, error: undefined });
  if (status !== 204) expect(data).toBeDefined();
  // 204 answers have no data, and their type says so.
  return data as T;
};

describe("the public service's client works for every documented operation", () => {
  it("projects: list, create, get, update, delete", async () => {
    const client = await connect();
    const body = { name: "shop", region: "eu-central-1", logicalId: "shop", createDatabase: true } as const;
    const { data: created } = good(await client.POST("/v1/projects", { body }), 201);
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

    const list = good(
      await client.GET("/v1/projects", { params: { query: { limit: 1, logicalId: "shop" } } }),
      200,
    );
    expect(list.data.map(({ id }) => id)).toEqual([created.id]);
    expect(list.pagination).toEqual({ nextCursor: null, hasMore: false });

    const params = { path: { id: created.id } };
    expect(good(await client.GET("/v1/projects/{id}", { params }), 200).data.url).toBe(created.url);
    const renamed = good(await client.PATCH("/v1/projects/{id}", { params, body: { name: "store" } }), 200);
    expect(renamed.data.name).toBe("store");
    good(await client.DELETE("/v1/projects/{id}", { params }), 204);
    const gone = await client.GET("/v1/projects/{id}", { params });
    expect(gone.response.status).toBe(404);
    expect(gone.error?.error.code).toBe("project:not_found");
  });

  it("projects.transfer", async () => {
    const client = await connect();
    const { id } = await mock.seed.project({ name: "shop" });
    const recipientAccessToken = await mock.tokens.otherUser();
    good(
      await client.POST("/v1/projects/{id}/transfer", {
        params: { path: { id } },
        body: { recipientAccessToken },
      }),
      204,
    );
    const recipient = await connect(mock.tokens.otherUser());
    expect(good(await recipient.GET("/v1/projects/{id}", { params: { path: { id } } }), 200).data.id).toBe(
      id,
    );
  });

  it("databases: list, create, restore, delete", async () => {
    const client = await connect();
    const project = await mock.seed.project({ name: "shop" });
    const path = { projectId: project.id };
    const body = { name: "reports", region: "inherit", isDefault: false } as const;
    const created = good(
      await client.POST("/v1/projects/{projectId}/databases", { params: { path }, body }),
      201,
    ).data;
    expect(created).toMatchObject({
      status: "provisioning",
      project: { id: project.id },
      region: { id: "us-east-1" },
    });
    expect(created.connectionString).toMatch(/^postgres(ql)?:\/\//);

    const { data } = good(await client.GET("/v1/projects/{projectId}/databases", { params: { path } }), 200);
    expect(data.map(({ id }) => id)).toEqual([project.database?.id, created.id]);
    expect(data[0]?.connections[0]?.endpoints.direct).not.toHaveProperty("connectionString");

    await mock.states.setDatabaseStatus(created.id, "ready");
    const backup = await mock.seed.backup(created.id);
    const source = { type: "backup", databaseId: created.id, backupId: backup.id } as const;
    const target = { params: { path: { targetDatabaseId: created.id } } };
    const restored = good(
      await client.POST("/v1/databases/{targetDatabaseId}/restore", { ...target, body: { source } }),
      200,
    );
    expect(restored.data).toMatchObject({ status: "recovering", source });

    good(
      await client.DELETE("/v1/databases/{databaseId}", { params: { path: { databaseId: created.id } } }),
      204,
    );
  });

  it("connections: create, rotate", async () => {
    const client = await connect();
    const { database } = await mock.seed.project({ name: "shop" });
    if (!database) throw new Error("no database");
    const params = { path: { databaseId: database.id } };
    const created = good(
      await client.POST("/v1/databases/{databaseId}/connections", { params, body: { name: "worker" } }),
      200,
    ).data;
    expect(created.connectionString).toContain(String(created.pass));
    const rotated = good(
      await client.POST("/v1/connections/{id}/rotate", { params: { path: { id: created.id } } }),
      200,
    ).data;
    expect(rotated.id).toBe(created.id);
    expect(rotated.pass).not.toBe(created.pass);
  });

  it("integrations: list, get, delete, by either route", async () => {
    const client = await connect();
    const { integration } = await mock.seed.integration({ clientName: "Acme Deploy" });
    const { workspaceId } = integration;
    const flat = good(await client.GET("/v1/integrations", { params: { query: { workspaceId } } }), 200);
    const nested = good(
      await client.GET("/v1/workspaces/{workspaceId}/integrations", { params: { path: { workspaceId } } }),
      200,
    );
    expect(nested.data.map(({ id }) => id)).toEqual(flat.data.map(({ id }) => id));
    const params = { path: { id: integration.id } };
    const one = good(await client.GET("/v1/integrations/{id}", { params }), 200).data;
    expect(one).toMatchObject({
      client: { name: "Acme Deploy" },
      createdByUser: { email: expect.any(String) },
    });
    good(await client.DELETE("/v1/integrations/{id}", { params }), 204);

    const { client: other } = await mock.seed.integration();
    const path = { workspaceId, clientId: other.id };
    good(
      await client.DELETE("/v1/workspaces/{workspaceId}/integrations/{clientId}", { params: { path } }),
      204,
    );
    const left = good(await client.GET("/v1/integrations", { params: { query: { workspaceId } } }), 200).data;
    expect(left.map(({ client: { id } }) => id)).not.toContain(other.id);
  });

  it("service tokens, regions", async () => {
    const client = await connect();
    const [workspace] = mock.store.workspaces.filter(() => true);
    if (!workspace) throw new Error("no workspace");
    const path = { workspaceId: workspace.id };
    const tokens = good(
      await client.GET("/v1/workspaces/{workspaceId}/service-tokens", { params: { path } }),
      200,
    );
    expect(tokens.data[0]).toMatchObject({ type: "serviceToken", expiresAt: null });
    const regions = good(await client.GET("/v1/regions/postgres"), 200);
    expect(regions.data).toHaveLength(6);
    expect(regions.data[0]).toMatchObject({ type: "region", status: "available" });
  });

  it("agentApprovals.get, as the agent that waits", async () => {
    const client = await connect(mock.tokens.agent());
    const project = await mock.seed.project({ name: "shop" });
    const refused = await client.DELETE("/v1/projects/{id}", { params: { path: { id: project.id } } });
    expect(refused.response.status).toBe(403);
    const [pending] = mock.approvals.list();
    const approvalId = pending?.id ?? "";
    const approval = good(
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

  it("apps: list, create, get, update, promote, delete", async () => {
    const client = await connect();
    const project = await mock.seed.project({ name: "shop" });
    const body = { displayName: "web", projectId: project.id };
    const app = good(await client.POST("/v1/apps", { body }), 201).data;
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
    expect(good(await client.GET("/v1/apps", { params: { query } }), 200).data).toEqual([app]);
    const params = { path: { appId: app.id } };
    expect(good(await client.GET("/v1/apps/{appId}", { params }), 200).data).toEqual(app);
    const update = await client.PATCH("/v1/apps/{appId}", { params, body: { logicalId: "web" } });
    expect(good(update, 200).data.logicalId).toBe("web");
    const deployment = await mock.seed.deployment(app.id, { status: "running" });
    const promote = await client.POST("/v1/apps/{appId}/promote", {
      params,
      body: { deploymentId: deployment.id },
    });
    expect(good(promote, 200).data).toEqual({
      appEndpointDomain: app.appEndpointDomain,
      reassignedDomains: 0,
    });
    good(await client.DELETE("/v1/apps/{appId}", { params }), 204);
  });

  it("reads the code, message and hint of an error", async () => {
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
