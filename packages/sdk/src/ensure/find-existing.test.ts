import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import {
  AppAlreadyExistsError,
  type CreateApp,
  type EnsureDatabase,
  type MgmtClient,
  createClient,
} from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { immediatePauses } from "../../test/immediate-pauses.js";
import { thrown } from "../../test/server.js";

let server: RunningServer;
let client: MgmtClient;

beforeAll(async () => {
  server = await createServer();
});
beforeEach(async () => {
  await server.engine.reset();
  const token = await server.engine.tokens.user();
  client = createClient({
    baseUrl: server.baseUrl,
    token,
    transport: nodeTransport(),
    timers: immediatePauses,
  });
});
afterAll(() => server.close());

describe("databases.ensure", () => {
  it("identifies one per branch: on the default branch unless another is named", async () => {
    const { id: projectId } = await client.projects.create();
    const branch = await client.projects.branches.create(projectId, { gitName: "feature" });
    const body = { projectId, name: "reports", logicalId: "reports" };
    const first = await client.databases.ensure(body);
    const elsewhere = await client.databases.ensure({ ...body, branchId: branch.id });
    expect([first.created, elsewhere.created]).toEqual([true, true]);
    const again = await client.databases.ensure(body);
    expect(again).toMatchObject({ created: false, resource: { id: first.resource.id } });
    const there = await client.databases.ensure({ ...body, branchId: branch.id });
    expect(there.resource.id).toBe(elsewhere.resource.id);
  });
});

describe("projects.branches.ensure", () => {
  it("creates a branch that does not exist, and returns it if it does", async () => {
    const { id } = await client.projects.create();
    const first = await client.projects.branches.ensure(id, { gitName: "feature" });
    const second = await client.projects.branches.ensure(id, { gitName: "feature" });
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.resource).toEqual(first.resource);
    expect((await client.projects.branches.ensure(id, { gitName: "main" })).created).toBe(false);
    expect(await client.projects.branches.list(id).toArray()).toHaveLength(2);
  });

  it("finds the branch after a lost response, in its own project", async () => {
    const [one, other] = [await client.projects.create(), await client.projects.create()];
    await client.projects.branches.create(other.id, { gitName: "feature" });
    server.engine.faults.add({ operation: "projects.branches.create", drop: "after", times: 1 });
    const { created, resource } = await client.projects.branches.ensure(one.id, { gitName: "feature" });
    expect([created, resource.project.id]).toEqual([false, one.id]);
  });

  it("requires a git name", async () => {
    const { id } = await client.projects.create();
    const error = await thrown(client.projects.branches.ensure(id, { gitName: "" }));
    expect(error).toMatchObject({ argument: "gitName" });
  });
});

describe("the identity of a project's resource", () => {
  it.each([
    [{}, "projectId"],
    [{ projectId: "proj_1" }, "displayName"],
    [{ projectId: "proj_1", displayName: "" }, "displayName"],
    [{ projectId: "proj_1", displayName: "x", logicalId: "" }, "logicalId"],
  ])("must be given before anything is sent: %j", async (body, argument) => {
    // JavaScript callers can pass anything.
    const service = await thrown(client.services.ensure(body as CreateApp));
    expect(service).toMatchObject({ code: "argument:invalid", argument });
    const database = await thrown(client.databases.ensure(body as EnsureDatabase));
    expect(database).toMatchObject({ argument: "projectId" in body ? "logicalId" : "projectId" });
    expect(server.engine.requests).toEqual([]);
  });
});

describe.each(["apps", "services"] as const)("%s.ensure", (name) => {
  it("gets by logicalId, whatever the name is, also after a lost response", async () => {
    const { id: projectId } = await client.projects.create();
    server.engine.faults.add({ operation: `${name}.create`, drop: "after", times: 1 });
    const body = { projectId, displayName: "Web", logicalId: "web" };
    const first = await client[name].ensure(body);
    const second = await client[name].ensure({ ...body, displayName: "Front" });
    expect([first.created, second.created]).toEqual([false, false]);
    expect(second.resource).toMatchObject({ id: first.resource.id, name: "Web" });
  });

  it("gets by name where there is no logicalId, also after a lost response", async () => {
    const { id: projectId } = await client.projects.create();
    server.engine.faults.add({ operation: `${name}.create`, drop: "after", times: 1 });
    const first = await client[name].ensure({ projectId, displayName: "Web" });
    const second = await client[name].ensure({ projectId, displayName: "Web" });
    expect(second).toMatchObject({ created: false, resource: { id: first.resource.id } });
  });

  it("creates the branch that it names, and finds both after a lost response", async () => {
    const { id: projectId } = await client.projects.create();
    const body = { projectId, displayName: "Web", branchGitName: "new" };
    expect(await client[name].ensure(body, { dryRun: true })).toMatchObject({ action: "create" });
    const { faults } = server.engine;
    faults.add({ operation: `${name}.create`, drop: "before", times: 1 });
    expect((await client[name].ensure(body)).created).toBe(true);
    faults.add({ operation: `${name}.create`, drop: "after", times: 1 });
    expect((await client[name].ensure({ ...body, branchGitName: "newer" })).created).toBe(false);
  });

  it.each(["branchId", "branchGitName"])("gets one without a branch, which has null as %s", async (input) => {
    const { id: projectId } = await client.projects.create();
    await client[name].ensure({ projectId, displayName: "Web" });
    const body = { projectId, displayName: "Web", [input]: null };
    const unassigned = await client[name].ensure(body);
    expect(unassigned.created).toBe(true);
    expect((await client[name].ensure(body)).resource.id).toBe(unassigned.resource.id);
    expect(await client[name].ensure(body, { dryRun: true })).toMatchObject({
      action: "none",
      resource: { id: unassigned.resource.id },
    });
  });

  it("throws the conflict when another has the name", async () => {
    const { id: projectId } = await client.projects.create();
    await client[name].create({ projectId, displayName: "Web" });
    const error = await thrown(client[name].ensure({ projectId, displayName: "Web", logicalId: "web" }));
    expect(error).toBeInstanceOf(AppAlreadyExistsError);
    expect(error).toHaveProperty("attempts.length", 1);
  });
});
