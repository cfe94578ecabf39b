import { describe, expect, it } from "vitest";
import { setupControlServer } from "../../../test/http/control-server.js";

describe("the control surface over HTTP", () => {
  const world = setupControlServer();
  const { control } = world;

  it("creates one of everything, issues tokens, and sets states", async () => {
    const seed = async (kind: string, body: object) =>
      (await control<{ id: string }>("POST", `/seed/${kind}`, body)).body;
    const project = await seed("project", { name: "shop" });
    const database = await seed("database", { projectId: project.id });
    await seed("connection", { databaseId: database.id });
    const backup = await seed("backup", { databaseId: database.id });
    const branch = await seed("branch", { projectId: project.id, gitName: "feature" });
    const app = await seed("app", { projectId: project.id, branchId: branch.id });
    const deployment = await seed("deployment", { appId: app.id, status: "running" });
    await seed("service-token", {});
    const user = await seed("user", { email: "new@example.com", name: "New" });
    const workspace = await seed("workspace", { name: "Third", ownerId: user.id });
    await seed("integration", { workspaceId: workspace.id, clientName: "CI", scopes: ["workspace:admin"] });
    await seed("project", { workspaceId: workspace.id });
    expect(world.server.engine.rows.integrations.find({})?.workspaceId).toBe(workspace.id);

    const { rows } = world.server.engine;
    await control("PUT", `/databases/${database.id}/status`, { status: "failure" });
    await control("PUT", `/deployments/${deployment.id}/status`, { status: "failed" });
    await control("PUT", `/backups/${backup.id}/status`, { status: "failed" });
    await control("POST", `/apps/${app.id}/domains`, { name: "shop.example.com" });
    expect([
      rows.databases.get(database.id)?.status,
      rows.deployments.get(deployment.id)?.status,
      rows.backups.get(backup.id)?.status,
      rows.apps.get(app.id)?.domains.map(({ name }) => name),
    ]).toEqual(["failure", "failed", "failed", ["shop.example.com"]]);
    expect((await control("POST", `/apps/${app.id}/domains`, { name: "shop.example.com" })).status).toBe(409);
    expect((await control("POST", `/databases/${database.id}/backups`, { backupType: "full" })).status).toBe(
      409,
    );
    await control("PUT", `/databases/${database.id}/status`, { status: "ready" });
    expect(
      (await control("POST", `/databases/${database.id}/backups`, { backupType: "incremental" })).body,
    ).toMatchObject({ status: "completed", backupType: "incremental" });
  });
});
