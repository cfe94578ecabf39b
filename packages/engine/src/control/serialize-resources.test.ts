import { beforeEach, describe, expect, it } from "vitest";
import { Api } from "../../test/rules/api.js";

let api: Api;
let projectId: string;
let databaseId: string;
beforeEach(async () => {
  api = await Api.open();
  const project = await api.engine.seed.project();
  projectId = project.id;
  databaseId = project.database?.id ?? "";
});

/** Returns the `data` of a response, without passwords: the control surface returns none. */
const read = async (...call: Parameters<Api["send"]>): Promise<unknown> => {
  const { status, body } = await api.send(...call);
  expect(status).toBe(200);
  return JSON.parse(JSON.stringify(body), (name, value) =>
    name === "directConnection" ? undefined : (value as unknown),
  ).data;
};

describe("the control surface returns what the API does", () => {
  it("of what a new server starts with, and of tenants", async () => {
    const { workspace, user, serviceToken } = api.defaults;
    expect(await read("workspaces.get", { path: { id: workspace.id } })).toEqual(workspace);
    const path = { workspaceId: workspace.id };
    expect(await read("workspaces.serviceTokens.list", { path })).toEqual([serviceToken]);
    expect(await read("me.get")).toMatchObject({ user });

    const tenant = await api.engine.createTenant("Tenant");
    const token = await tenant.tokens.user();
    expect(await read("workspaces.list", { token })).toEqual([tenant.workspace]);
    expect(await read("me.get", { token })).toMatchObject({ user: tenant.user });
  });

  it("of databases and backups", async () => {
    const path = { databaseId };
    for (const status of ["failure", "ready"] as const) {
      const database = await api.engine.states.setDatabaseStatus(databaseId, status);
      expect(database.status).toBe(status);
      expect(await read("databases.get", { path })).toEqual(database);
    }
    const backup = await api.engine.seed.backup(databaseId);
    expect(await read("databases.backups.list", { path })).toEqual([backup]);
    const failed = await api.engine.states.setBackupStatus(backup.id, "failed");
    expect(await read("databases.backups.list", { path })).toEqual([failed]);
    expect(failed).toEqual({ ...backup, status: "failed" });
  });

  it("of apps and deployments", async () => {
    const { id: appId } = await api.engine.seed.app(projectId);
    expect(await api.engine.states.attachDomain(appId, "shop.example.com")).toEqual(
      await read("apps.get", { path: { appId } }),
    );
    const { id: deploymentId } = await api.engine.seed.deployment(appId);
    const path = { deploymentId };
    for (const status of ["failed", "running"] as const) {
      const deployment = await api.engine.states.setDeploymentStatus(deploymentId, status);
      expect(deployment.status).toBe(status);
      expect(await read("deployments.get", { path })).toEqual(deployment);
    }
    const deployment = await api.engine.states.setDeploymentVariables(deploymentId, { PORT: "80" });
    expect(await read("deployments.get", { path })).toEqual(deployment);
  });

  it("of workspaces and integrations", async () => {
    const user = await api.engine.seed.user({ email: "eve@example.com", name: null });
    expect(user).toEqual({ id: user.id, email: "eve@example.com", name: null });
    const workspace = await api.engine.seed.workspace({ ownerId: user.id });
    const token = await api.engine.tokens.user({ userId: user.id });
    expect(await read("workspaces.get", { path: { id: workspace.id }, token })).toEqual(workspace);
    const { integration, client } = await api.engine.seed.integration({ workspaceId: workspace.id });
    expect(await read("integrations.get", { path: { id: integration.id }, token })).toEqual(integration);
    expect(client).toEqual(integration.client);
  });

  it("of approvals, with the request that waits", async () => {
    await api.send("projects.delete", { path: { id: projectId }, as: "agent" });
    const [pending] = await api.engine.approvals.list();
    const { id: approvalId = "" } = pending ?? {};
    const { body } = await api.send("agentApprovals.get", { path: { approvalId }, as: "agent" });
    expect(pending).toEqual({
      ...(body as object),
      createdAt: "2026-01-01T00:00:00.000Z",
      request: `DELETE /v1/projects/${projectId}`,
      effect: expect.stringMatching(`^Deletes the project ".+" \\(${projectId}\\), with`),
      operationId: "projects.delete",
      agentId: api.agentId,
      sponsorId: api.defaults.user.id,
      workspaceId: api.workspaceId,
      projectId,
    });
    const approved = await api.engine.approvals.approve(approvalId);
    expect(approved).toMatchObject({ id: approvalId, status: "approved", decidedAt: pending?.createdAt });
    expect(await api.engine.approvals.list()).toEqual([approved]);
  });
});
