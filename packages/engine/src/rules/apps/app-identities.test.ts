import { beforeEach, describe, expect, it } from "vitest";
import type { Api } from "../../../test/rules/api.js";
import { appCalls, startShop } from "../../../test/rules/shop.js";

let api: Api;
let projectId: string;
beforeEach(async () => {
  ({ api, projectId } = await startShop());
});

describe("the identity of an app", () => {
  const { create, createRejected } = appCalls("services", () => ({ api, projectId }));
  const conflict = { status: 409, code: "app:already_exists" };

  it("is its own in each branch, and among the unassigned apps of a project", async () => {
    const { id: branchId } = await api.engine.seed.branch(projectId);
    for (const place of [{}, { branchId }, { branchId: null }, { branchGitName: "new" }])
      await create({ ...place, displayName: "web" });
    for (const place of [{ branchId }, { branchId: null }, { branchGitName: "new" }])
      expect(await createRejected({ ...place, displayName: "web" })).toMatchObject(conflict);
    const { project } = await api.project({ name: "other" });
    await create({ projectId: project.id, branchId: null, displayName: "web" });
  });

  it("is a name before a logicalId, and the error names the other app and its branch", async () => {
    const { id } = await create({ displayName: "web", logicalId: "a" });
    const other = await create({ displayName: "api", logicalId: "b" });
    const { error } = await createRejected({ displayName: "web", logicalId: "b" });
    expect(error).toMatchObject({
      conflict: "name",
      existingAppId: id,
      logicalId: "a",
      branchGitName: "main",
    });
    const { error: second } = await createRejected({ displayName: "free", logicalId: "b" });
    expect(second).toMatchObject({
      conflict: "logicalId",
      existingAppId: other.id,
      name: "api",
      logicalId: "b",
    });
    await create({ branchId: null, displayName: "web", logicalId: "a" });
    const { error: unassigned } = await createRejected({ branchId: null, displayName: "web" });
    expect(unassigned).toMatchObject({ conflict: "name", branchGitName: "" });
  });
});
