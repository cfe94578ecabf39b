import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import {
  AppAlreadyExistsError,
  ApprovalRequiredError,
  AuthUnauthorizedError,
  BranchDefaultProtectedError,
  DatabaseBusyError,
  DatabaseDefaultProtectedError,
  DeploymentNotStoppableError,
  type MgmtClient,
  ProjectHasDependenciesError,
  ProjectNotFoundError,
  TransferInvalidRecipientTokenError,
  UsageInvalidRangeError,
  WorkspaceNotFoundError,
  createClient,
  operationTable,
} from "@mgmt/sdk";
import { thrown } from "./server.js";

const mock = setupMock({ deterministic: "sdk" });
const succeeded = new Set<string>();
let client: MgmtClient;
let projectId: string;
let databaseId: string;

const connect = (token: string): MgmtClient => createClient({ baseUrl: mock.baseUrl, token });

beforeAll(() => mock.listen({ onUnhandledRequest: "error" }));
beforeEach(async () => {
  client = connect(await mock.tokens.user());
  const project = await mock.seed.project({ name: "shop", logicalId: "shop" });
  projectId = project.id;
  databaseId = project.database?.id ?? "";
});
afterEach(async () => {
  for (const { operationId, status } of mock.requests) {
    if (operationId !== null && status !== null && status < 300) succeeded.add(operationId);
  }
  await mock.reset();
});
afterAll(async () => {
  await mock.close();
});

describe("projects", () => {
  it("are created with a database, read, updated and listed by logicalId", async () => {
    const made = await client.projects.create({ name: "blog", region: "eu-west-3", logicalId: "blog" });
    expect(made).toMatchObject({ type: "project", name: "blog", defaultRegion: "eu-west-3" });
    expect(made.database).toMatchObject({ status: "provisioning", isDefault: true });
    expect(made.database?.connectionString).toMatch(/^postgres/);
    expect(await client.projects.get(made.id)).toMatchObject({ id: made.id, logicalId: "blog" });
    expect(await client.projects.update(made.id, { name: "log" })).toMatchObject({ name: "log" });
    const { data, hasMore } = await client.projects.list({ logicalId: "blog" });
    expect([data.map(({ id }) => id), hasMore]).toEqual([[made.id], false]);
  });

  it("are created without a body, and without a database on request", async () => {
    expect(await client.projects.create()).toMatchObject({ database: { isDefault: true } });
    expect(await client.projects.create({ createDatabase: false })).toMatchObject({ database: null });
  });

  it("are iterated to the end, page by page", async () => {
    for (let made = 1; made < 7; made += 1) await mock.seed.project({ createDatabase: false });
    const walked = await client.projects.list({ limit: 3 }).toArray();
    expect(new Set(walked.map(({ id }) => id)).size).toBe(7);
    const sizes: number[] = [];
    for await (const { data } of client.projects.list({ limit: 3 }).pages()) sizes.push(data.length);
    expect(sizes).toEqual([3, 3, 1]);
  });

  it("are deleted, unless something depends on them", async () => {
    const second = await mock.seed.database(projectId);
    const error = await thrown(client.projects.delete(projectId));
    expect(error).toBeInstanceOf(ProjectHasDependenciesError);
    expect(error).toMatchObject({ status: 400, requestId: expect.stringMatching(/^req_/) });
    await client.databases.delete(second.id);
    expect(await client.projects.delete(projectId)).toBeUndefined();
    expect(await thrown(client.projects.get(projectId))).toBeInstanceOf(ProjectNotFoundError);
  });

  it("move to the workspace of a recipient's token, and to no other", async () => {
    const unusable = { recipientAccessToken: await mock.tokens.service() };
    const error = await thrown(client.projects.transfer(projectId, unusable));
    expect(error).toBeInstanceOf(TransferInvalidRecipientTokenError);
    await client.projects.transfer(projectId, { recipientAccessToken: await mock.tokens.otherUser() });
    const recipient = connect(await mock.tokens.otherUser());
    expect(await recipient.projects.get(projectId)).toMatchObject({ id: projectId });
  });
});

describe("databases", () => {
  it("are created in a project and on their own, listed, updated and deleted", async () => {
    const nested = await client.projects.databases.create(projectId, { name: "a" });
    const flat = await client.databases.create({ projectId, name: "b", logicalId: "b" });
    expect(nested.apiKeys[0]?.id).toBe(nested.connections[0]?.id);
    const names = async (list: PromiseLike<{ data: { name: string }[] }>) =>
      (await list).data.map(({ name }) => name);
    expect(await names(client.databases.list({ logicalId: "b" }))).toEqual(["b"]);
    expect(await names(client.projects.databases.list(projectId))).toContain("a");
    expect(await client.databases.update(flat.id, { name: "c" })).toMatchObject({ name: "c" });
    expect(await client.databases.get(flat.id)).toMatchObject({ name: "c", project: { id: projectId } });
    expect(await client.databases.delete(nested.id)).toBeUndefined();
    expect(await thrown(client.databases.delete(databaseId))).toBeInstanceOf(DatabaseDefaultProtectedError);
  });

  it("are restored from a backup, but not while they provision or recover", async () => {
    const { id: backupId } = await mock.seed.backup(databaseId);
    const { data, meta } = await client.databases.backups.list(databaseId, { limit: 10 });
    expect(data).toMatchObject([{ id: backupId, status: "completed" }]);
    expect(meta.backupRetentionDays).toBeGreaterThan(0);
    const body = { source: { type: "backup", databaseId, backupId } } as const;
    expect(await client.databases.restore(databaseId, body)).toMatchObject({ status: "recovering" });
    expect(await thrown(client.databases.restore(databaseId, body))).toBeInstanceOf(DatabaseBusyError);
    await mock.clock.advance(60_000);
    expect(await client.databases.get(databaseId)).toMatchObject({ status: "ready", source: body.source });
  });

  it("report their usage", async () => {
    const range = { startDate: "2026-01-01", endDate: "2026-01-02" };
    expect(await client.databases.usage.get(databaseId, range)).toMatchObject({
      metrics: { operations: { unit: "ops" }, storage: { unit: "GiB" } },
    });
    const wrong = { startDate: "2026-01-02", endDate: "2026-01-01" };
    expect(await thrown(client.databases.usage.get(databaseId, wrong))).toBeInstanceOf(
      UsageInvalidRangeError,
    );
  });

  it("are opened by connections, which are created, listed, rotated and deleted", async () => {
    const nested = await client.databases.connections.create(databaseId, { name: "web" });
    const flat = await client.connections.create({ databaseId, name: "job" });
    const ids = async (list: PromiseLike<{ data: { id: string }[] }>) =>
      (await list).data.map(({ id }) => id);
    expect(await ids(client.databases.connections.list(databaseId))).toContain(nested.id);
    expect(await ids(client.connections.list({ databaseId }))).toContain(flat.id);
    expect(await client.connections.get(flat.id)).toMatchObject({ name: "job" });
    const rotated = await client.connections.rotate(flat.id);
    expect(rotated.id).toBe(flat.id);
    expect(rotated.pass).not.toBe(flat.pass);
    expect(await client.connections.delete(flat.id)).toBeUndefined();
    expect(await thrown(client.connections.get(flat.id))).toMatchObject({ code: "connection:not_found" });
  });
});

describe("branches", () => {
  it("are created, listed, made the default and deleted", async () => {
    const branch = await client.projects.branches.create(projectId, { gitName: "feature/cart" });
    expect(branch).toMatchObject({ role: "preview", isDefault: false });
    const all = await client.projects.branches.list(projectId).toArray();
    expect(all.map(({ gitName }) => gitName)).toEqual(["main", "feature/cart"]);
    expect(await client.branches.update(branch.id, { isDefault: true })).toMatchObject({ isDefault: true });
    expect(await thrown(client.branches.delete(branch.id))).toBeInstanceOf(BranchDefaultProtectedError);
    const other = await client.projects.branches.create(projectId, { gitName: "other" });
    expect(await client.branches.get(other.id)).toMatchObject({ gitName: "other" });
    expect(await client.branches.delete(other.id)).toBeUndefined();
  });
});

describe.each(["apps", "services"] as const)("%s", (collection) => {
  it("are created, listed, updated, promoted and deleted", async () => {
    const apps = client[collection];
    const app = await apps.create({ projectId, displayName: "web", logicalId: "web" });
    expect(app).toMatchObject({ type: "app", name: "web", region: { id: "us-east-1" } });
    expect((await apps.list({ projectId, logicalId: "web" })).data).toHaveLength(1);
    expect(await apps.update(app.id, { displayName: "site" })).toMatchObject({ name: "site" });
    const { id: deploymentId } = await mock.seed.deployment(app.id, { status: "running" });
    expect(await apps.promote(app.id, { deploymentId })).toMatchObject({ reassignedDomains: 0 });
    expect(await apps.get(app.id)).toMatchObject({ latestDeploymentId: deploymentId });
    expect(await apps.delete(app.id)).toBeUndefined();
  });

  it("identify the app in the slot", async () => {
    const body = { projectId, displayName: "web" };
    const { id } = await client[collection].create(body);
    const error = await thrown(client[collection].create(body));
    expect(error).toBeInstanceOf(AppAlreadyExistsError);
    expect(error).toMatchObject({ existingAppId: id, name: "web", branchGitName: "main", conflict: "name" });
  });
});

describe("deployments", () => {
  it("are created, started, stopped and deleted", async () => {
    const app = await mock.seed.app(projectId);
    const made = await client.services.deployments.create(app.id, { portMapping: { http: 8080 } });
    expect(made.uploadUrl).toMatch(/^https:/);
    expect(await client.services.deployments.list(app.id).toArray()).toMatchObject([{ id: made.id }]);
    const twin = await client.apps.deployments.create(app.id, { portMapping: { http: 8081 } });
    expect(await client.apps.deployments.list(app.id).toArray()).toMatchObject([
      { id: made.id },
      { id: twin.id },
    ]);
    expect(await thrown(client.deployments.stop(made.id))).toBeInstanceOf(DeploymentNotStoppableError);
    expect((await client.deployments.start(made.id)).previewDomain).toMatch(/\./);
    await mock.clock.advance(60_000);
    expect(await client.deployments.get(made.id)).toMatchObject({ status: "running" });
    expect(await client.deployments.stop(made.id)).toBeUndefined();
    await mock.clock.advance(60_000);
    expect(await client.deployments.delete(made.id)).toBeUndefined();
  });
});

describe("workspaces and their resources", () => {
  it("are read, listed and created", async () => {
    const { id, name } = mock.defaults.workspace;
    expect(await client.me.get()).toMatchObject({ workspace: { id, name } });
    expect(await client.workspaces.get(id)).toMatchObject({ id, name });
    expect(await client.workspaces.subscription.get(id)).toMatchObject({ usageBlocked: false });
    expect((await client.workspaces.list()).data).toHaveLength(1);
    expect(await client.workspaces.create({ displayName: "Second" })).toMatchObject({ name: "Second" });
  });

  it("have service tokens, whose value is shown once", async () => {
    const { id } = mock.defaults.workspace;
    const made = await client.workspaces.serviceTokens.create(id, { name: "ci" });
    expect(made.value.endsWith(made.valueHint)).toBe(true);
    const [newest] = (await client.workspaces.serviceTokens.list(id)).data;
    expect(newest).toMatchObject({ id: made.id, name: "ci" });
    expect(newest).not.toHaveProperty("value");
    expect((await connect(made.value).me.get()).credential.type).toBe("service_token");
    expect(await client.workspaces.serviceTokens.delete(id, made.id)).toBeUndefined();
    expect(await thrown(connect(made.value).me.get())).toBeInstanceOf(AuthUnauthorizedError);
    const unknown = thrown(client.workspaces.serviceTokens.create("wksp_unknown1", { name: "x" }));
    expect(await unknown).toBeInstanceOf(WorkspaceNotFoundError);
  });

  it("have integrations, which are read and revoked", async () => {
    const workspaceId = mock.defaults.workspace.id;
    const { integration } = await mock.seed.integration({ clientName: "Editor" });
    expect((await client.integrations.list({ workspaceId })).data).toMatchObject([{ id: integration.id }]);
    expect(await client.integrations.get(integration.id)).toMatchObject({ client: { name: "Editor" } });
    expect(await client.integrations.delete(integration.id)).toBeUndefined();
    const again = await mock.seed.integration();
    expect((await client.workspaces.integrations.list(workspaceId)).data).toHaveLength(1);
    expect(await client.workspaces.integrations.delete(workspaceId, again.client.id)).toBeUndefined();
    expect(await client.workspaces.integrations.list(workspaceId).toArray()).toEqual([]);
  });

  it("have regions to choose from", async () => {
    expect(await client.regions.listAccelerate().toArray()).toContainEqual(
      expect.objectContaining({ id: "us-east-1" }),
    );
    expect(await client.regions.listPostgres().toArray()).toContainEqual(
      expect.objectContaining({ id: "us-east-1" }),
    );
    expect(await client.regions.list({ product: "postgres" }).toArray()).not.toEqual([]);
  });
});

describe("an agent", () => {
  it("receives the approval to wait for, and reads it", async () => {
    const agent = connect(await mock.tokens.agent());
    const error = await thrown(agent.projects.delete(projectId));
    if (!(error instanceof ApprovalRequiredError)) throw error;
    expect(await agent.agentApprovals.get(error.approvalId)).toMatchObject({ status: "pending" });
    await mock.approvals.approve(error.approvalId);
    expect(await agent.agentApprovals.get(error.approvalId)).toMatchObject({ status: "approved" });
    expect(await agent.projects.delete(projectId)).toBeUndefined();
  });
});

describe("every operation that does not only read", () => {
  it("succeeds at least once in these tests", () => {
    const changing = Object.entries(operationTable).filter(([, { method }]) => method !== "GET");
    expect(changing.map(([id]) => id).filter((id) => !succeeded.has(id))).toEqual([]);
  });
});
