import { describe, expect, it } from "vitest";
import { AppAlreadyExistsError, type CreateApp, type EnsureDatabase } from "@mgmt/sdk";
import { useEnsureClient } from "../../test/ensure/ensure-client.js";
import { thrown } from "../../test/server.js";

const world = useEnsureClient();

describe("databases.ensure", () => {
  it("identifies one per branch: on the default branch unless another is named", async () => {
    const { id: projectId } = await world.client.projects.create();
    const branch = await world.client.projects.branches.create(projectId, { gitName: "feature" });
    const body = { projectId, name: "reports", logicalId: "reports" };
    const first = await world.client.databases.ensure(body);
    const elsewhere = await world.client.databases.ensure({ ...body, branchId: branch.id });
    expect([first.created, elsewhere.created]).toEqual([true, true]);
    const again = await world.client.databases.ensure(body);
    expect(again).toMatchObject({ created: false, resource: { id: first.resource.id } });
    const there = await world.client.databases.ensure({ ...body, branchId: branch.id });
    expect(there.resource.id).toBe(elsewhere.resource.id);
  });
});

describe("projects.branches.ensure", () => {
  it("creates a branch that does not exist, and returns it if it does", async () => {
    const { id } = await world.client.projects.create();
    const first = await world.client.projects.branches.ensure(id, { gitName: "feature" });
    const second = await world.client.projects.branches.ensure(id, { gitName: "feature" });
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.resource).toEqual(first.resource);
    expect((await world.client.projects.branches.ensure(id, { gitName: "main" })).created).toBe(false);
    expect(await world.client.projects.branches.list(id).toArray()).toHaveLength(2);
  });

  it("finds the branch after a lost response, in its own project", async () => {
    const [one, other] = [await world.client.projects.create(), await world.client.projects.create()];
    await world.client.projects.branches.create(other.id, { gitName: "feature" });
    world.server.engine.faults.add({ operation: "projects.branches.create", drop: "after", times: 1 });
    const { created, resource } = await world.client.projects.branches.ensure(one.id, { gitName: "feature" });
    expect([created, resource.project.id]).toEqual([false, one.id]);
  });

  it("requires a git name", async () => {
    const { id } = await world.client.projects.create();
    const error = await thrown(world.client.projects.branches.ensure(id, { gitName: "" }));
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
    const service = await thrown(world.client.services.ensure(body as CreateApp));
    expect(service).toMatchObject({ code: "argument:invalid", argument });
    const database = await thrown(world.client.databases.ensure(body as EnsureDatabase));
    expect(database).toMatchObject({ argument: "projectId" in body ? "logicalId" : "projectId" });
    expect(world.server.engine.requests).toEqual([]);
  });
});

describe.each(["apps", "services"] as const)("%s.ensure", (name) => {
  it("gets by logicalId, whatever the name is, also after a lost response", async () => {
    const { id: projectId } = await world.client.projects.create();
    world.server.engine.faults.add({ operation: `${name}.create`, drop: "after", times: 1 });
    const body = { projectId, displayName: "Web", logicalId: "web" };
    const first = await world.client[name].ensure(body);
    const second = await world.client[name].ensure({ ...body, displayName: "Front" });
    expect([first.created, second.created]).toEqual([false, false]);
    expect(second.resource).toMatchObject({ id: first.resource.id, name: "Web" });
  });

  it("gets by name where there is no logicalId, also after a lost response", async () => {
    const { id: projectId } = await world.client.projects.create();
    world.server.engine.faults.add({ operation: `${name}.create`, drop: "after", times: 1 });
    const first = await world.client[name].ensure({ projectId, displayName: "Web" });
    const second = await world.client[name].ensure({ projectId, displayName: "Web" });
    expect(second).toMatchObject({ created: false, resource: { id: first.resource.id } });
  });

  it("creates the branch that it names, and finds both after a lost response", async () => {
    const { id: projectId } = await world.client.projects.create();
    const body = { projectId, displayName: "Web", branchGitName: "new" };
    expect(await world.client[name].ensure(body, { dryRun: true })).toMatchObject({ action: "create" });
    const { faults } = world.server.engine;
    faults.add({ operation: `${name}.create`, drop: "before", times: 1 });
    expect((await world.client[name].ensure(body)).created).toBe(true);
    faults.add({ operation: `${name}.create`, drop: "after", times: 1 });
    expect((await world.client[name].ensure({ ...body, branchGitName: "newer" })).created).toBe(false);
  });

  it.each(["branchId", "branchGitName"])("gets one without a branch, which has null as %s", async (input) => {
    const { id: projectId } = await world.client.projects.create();
    await world.client[name].ensure({ projectId, displayName: "Web" });
    const body = { projectId, displayName: "Web", [input]: null };
    const unassigned = await world.client[name].ensure(body);
    expect(unassigned.created).toBe(true);
    expect((await world.client[name].ensure(body)).resource.id).toBe(unassigned.resource.id);
    expect(await world.client[name].ensure(body, { dryRun: true })).toMatchObject({
      action: "none",
      resource: { id: unassigned.resource.id },
    });
  });

  it("throws the conflict when another has the name", async () => {
    const { id: projectId } = await world.client.projects.create();
    await world.client[name].create({ projectId, displayName: "Web" });
    const error = await thrown(
      world.client[name].ensure({ projectId, displayName: "Web", logicalId: "web" }),
    );
    expect(error).toBeInstanceOf(AppAlreadyExistsError);
    expect(error).toHaveProperty("attempts.length", 1);
  });
});
