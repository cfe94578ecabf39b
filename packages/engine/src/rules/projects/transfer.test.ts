import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
});

const recipient = (): Promise<string> => api.engine.tokens.otherUser();

const transfer = async (id: string, recipientAccessToken: unknown) => ({
  path: { id },
  body: { recipientAccessToken: await recipientAccessToken },
});

describe("projects.transfer", () => {
  it("moves the project with its resources to the recipient's workspace, with unchanged ids", async () => {
    const { project, database } = await api.project({ name: "shop" });
    const backup = await api.engine.seed.backup(database.id);
    const app = await api.engine.seed.app(project.id);
    const deployment = await api.engine.seed.deployment(app.id);
    const branch = await api.engine.seed.branch(project.id);
    const connectionId = database.defaultConnectionId ?? "";
    await api.ok("projects.transfer", await transfer(project.id, recipient()));

    const as = "stranger";
    const { data } = await api.ok("projects.get", { path: { id: project.id }, as });
    expect(data.workspace.id).toBe(api.strangerWorkspaceId);
    await api.ok("databases.get", { path: { databaseId: database.id }, as });
    await api.ok("connections.get", { path: { id: connectionId }, as });
    await api.ok("services.get", { path: { serviceId: app.id }, as });
    await api.ok("deployments.get", { path: { deploymentId: deployment.id }, as });
    await api.ok("branches.get", { path: { branchId: branch.id }, as });
    const backups = await api.ok("databases.backups.list", { path: { databaseId: database.id }, as });
    expect(backups.data.map(({ id }) => id)).toEqual([backup.id]);
  });

  it("leaves the other projects of the workspace, with all their resources", async () => {
    const other = await api.project();
    const app = await api.engine.seed.app(other.project.id);
    const { project } = await api.project();
    await api.ok("projects.transfer", await transfer(project.id, recipient()));
    await api.ok("projects.get", { path: { id: other.project.id } });
    await api.ok("databases.get", { path: { databaseId: other.database.id } });
    await api.ok("connections.get", { path: { id: other.database.defaultConnectionId ?? "" } });
    await api.ok("services.get", { path: { serviceId: app.id } });
  });

  it("ends the old workspace's reach at once", async () => {
    const { project, database } = await api.project();
    const app = await api.engine.seed.app(project.id);
    await api.ok("projects.transfer", await transfer(project.id, recipient()));
    expect(await api.refused("projects.get", { path: { id: project.id } })).toEqual({
      status: 404,
      code: "project:not_found",
    });
    expect(await api.refused("databases.get", { path: { databaseId: database.id }, as: "service" })).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
    expect(await api.refused("apps.get", { path: { appId: app.id }, as: "service" })).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
    for (const list of ["projects.list", "databases.list", "connections.list", "apps.list"] as const) {
      expect((await api.ok(list)).data, list).toEqual([]);
    }
  });

  it("leaves connection strings valid", async () => {
    const { project, database } = await api.project();
    const before = api.databases.passwords(database.id);
    await api.ok("projects.transfer", await transfer(project.id, recipient()));
    expect(api.databases.passwords(database.id)).toEqual(before);
  });

  it("does not move integrations and service tokens", async () => {
    const { project } = await api.project();
    const { integration } = await api.engine.seed.integration();
    await api.ok("projects.transfer", await transfer(project.id, recipient()));
    expect((await api.store()).integrations.get(integration.id)?.workspaceId).toBe(api.workspaceId);
    const { data } = await api.ok("workspaces.serviceTokens.list", {
      path: { workspaceId: api.workspaceId },
    });
    expect(data).toHaveLength(1);
  });

  it("expires pending approvals for the project, and no others", async () => {
    const { project } = await api.project();
    const { project: other } = await api.project();
    const ids: string[] = [];
    for (const { id } of [project, other]) {
      const { error } = await api.send("projects.delete", { path: { id }, as: "agent" }).then(
        // The contract's ApprovalRequiredError.
        ({ body }) => body as { error: { approvalId: string } },
      );
      ids.push(error.approvalId);
    }
    await api.ok("projects.transfer", await transfer(project.id, recipient()));
    const { approvals } = await api.store();
    const statuses = ids.map((id) => approvals.get(id)?.status);
    expect(statuses).toEqual(["expired", "pending"]);
  });

  it("accepts an agent's transfer with its sponsor's approval", async () => {
    const { project } = await api.project();
    const asked = { ...(await transfer(project.id, recipient())), as: "agent" as const };
    const { body } = await api.send("projects.transfer", asked);
    const { error } = body as { error: { approvalId: string } };
    await api.engine.approvals.approve(error.approvalId);
    await api.ok("projects.transfer", { ...asked, body: { recipientAccessToken: await recipient() } });
    expect((await api.store()).approvals.get(error.approvalId)?.status).toBe("consumed");
  });

  it("rejects a project that is in the recipient's workspace already with 409", async () => {
    const { project } = await api.project();
    const asked = await transfer(project.id, api.engine.tokens.user());
    expect(await api.refused("projects.transfer", asked)).toEqual({
      status: 409,
      code: "project:already_in_workspace",
    });
  });

  it("rejects a project whose logicalId is taken there with 409", async () => {
    await api.project({ logicalId: "shop" }, { as: "stranger" });
    const { project } = await api.project({ logicalId: "shop" });
    expect(await api.refused("projects.transfer", await transfer(project.id, recipient()))).toEqual({
      status: 409,
      code: "project:logical_id_conflict",
    });
  });

  it.each([
    ["a string that is not a token", () => Promise.resolve("nonsense")],
    ["a service token", () => api.engine.tokens.service()],
    ["an agent's token", () => api.engine.tokens.agent()],
    ["an expired token", () => api.engine.tokens.expired()],
    ["a token without workspace:admin", () => api.engine.tokens.otherUser({ scopes: ["offline_access"] })],
    [
      "a token whose integration was revoked",
      async () => {
        const { integration } = await api.engine.seed.integration({ workspaceId: api.strangerWorkspaceId });
        const token = await api.engine.tokens.otherUser({ integrationId: integration.id });
        await api.ok("integrations.delete", { path: { id: integration.id }, as: "stranger" });
        return token;
      },
    ],
  ])("rejects %s as the recipient's with 422, never 401", async (_, token) => {
    const { project } = await api.project();
    const asked = await transfer(project.id, token());
    expect(await api.refused("projects.transfer", asked)).toEqual({
      status: 422,
      code: "transfer:invalid_recipient_token",
    });
  });

  it("never repeats the recipient's token in an error", async () => {
    const { project } = await api.project();
    const secret = `secret-${"x".repeat(20_000)}`;
    for (const recipientAccessToken of ["secret-token", secret, { secret: "secret-token" }]) {
      const { body } = await api.send("projects.transfer", await transfer(project.id, recipientAccessToken));
      expect(JSON.stringify(body)).not.toContain("secret-");
    }
  });

  it.each([
    ["no token", {}, "/recipientAccessToken"],
    ["an empty token", { recipientAccessToken: "" }, "/recipientAccessToken"],
    ["a null token", { recipientAccessToken: null }, "/recipientAccessToken"],
    ["an unknown field", { recipientAccessToken: "t", workspaceId: "w" }, "/workspaceId"],
    ["no body", undefined, ""],
  ])("rejects %s with 422", async (_, body, path) => {
    const { project } = await api.project();
    expect(await api.issues("projects.transfer", { path: { id: project.id }, body })).toEqual([path]);
  });

  it("returns 404 for no project and 403 for another workspace's", async () => {
    const { project } = await api.project({}, { as: "stranger" });
    expect(await api.refused("projects.transfer", await transfer(nobody("proj_"), recipient()))).toEqual({
      status: 404,
      code: "project:not_found",
    });
    expect(await api.refused("projects.transfer", await transfer(project.id, recipient()))).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
  });
});

it("returns every response that the contract lists for a transfer", () => {
  expect(unseenResponses("projects.transfer")).toEqual([]);
});
