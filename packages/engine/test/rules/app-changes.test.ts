import { beforeEach, describe, expect, it } from "vitest";
import { type Api, nobody, unseenResponses } from "./api.js";
import { appCalls, startShop } from "./shop.js";

let api: Api;
let projectId: string;
let mainId: string;
beforeEach(async () => {
  ({ api, projectId, mainId } = await startShop());
});

describe.each(["apps", "services"] as const)("%s", (collection) => {
  const { idName, at, create, update, updateRejected, list } = appCalls(collection, () => ({
    api,
    projectId,
  }));

  describe("update", () => {
    it("renames, and keeps the domain", async () => {
      const app = await create();
      const renamed = await update(app.id, { displayName: "store" });
      expect(renamed).toEqual({ ...app, name: "store" });
      expect(await update(app.id, {})).toEqual(renamed);
    });

    it("moves to a branch, to one that it makes, and to none", async () => {
      const dev = await api.engine.seed.branch(projectId, { gitName: "dev" });
      const { id } = await create();
      expect((await update(id, { branchId: dev.id })).branchId).toBe(dev.id);
      expect((await update(id, { branchId: null })).branchId).toBeNull();
      expect((await update(id, { branchGitName: "main" })).branchId).toBe(mainId);
      const made = await update(id, { branchGitName: "new" });
      expect(await list({ branchGitName: "new" })).toEqual([id]);
      expect(made.branchId).not.toBe(mainId);
      expect((await update(id, { branchGitName: null })).branchId).toBeNull();
    });

    it("sets, repeats and clears the logicalId", async () => {
      const { id } = await create();
      expect((await update(id, { logicalId: "a" })).logicalId).toBe("a");
      expect((await update(id, { logicalId: "a" })).logicalId).toBe("a");
      expect((await update(id, { logicalId: null })).logicalId).toBeNull();
      expect((await update(id, { logicalId: "b" })).logicalId).toBe("b");
    });

    it("rejects another logicalId than the one it is bound to with 409", async () => {
      const { id } = await create({ logicalId: "a" });
      expect(await updateRejected(id, { logicalId: "b" })).toMatchObject({
        status: 409,
        code: "app:logical_id_bound",
      });
    });

    it("rejects a logicalId that another app on the branch has with 409", async () => {
      await create({ logicalId: "a" });
      const free = await create({ displayName: "b" });
      const bound = await create({ displayName: "c", logicalId: "c" });
      for (const { id } of [free, bound]) {
        expect(await updateRejected(id, { logicalId: "a" })).toMatchObject({
          status: 409,
          code: "app:logical_id_conflict",
        });
      }
    });

    it("rejects a name that is taken on the branch with 409 app:already_exists", async () => {
      const taken = await create();
      const { id } = await create({ displayName: "b" });
      const { error } = await updateRejected(id, { displayName: "web" });
      expect(error).toMatchObject({
        code: "app:already_exists",
        existingAppId: taken.id,
        name: "web",
        branchGitName: "main",
        conflict: "name",
        logicalId: null,
      });
      expect((await update(taken.id, { displayName: "web" })).name).toBe("web");
    });

    it("rejects a move onto a taken name or logicalId with 409", async () => {
      const dev = await api.engine.seed.branch(projectId);
      await create({ branchId: dev.id });
      await create({ branchId: dev.id, displayName: "declared", logicalId: "a" });
      const named = await create();
      const declared = await create({ displayName: "b", logicalId: "a" });
      expect(await updateRejected(named.id, { branchId: dev.id })).toMatchObject({
        status: 409,
        code: "app:already_exists",
      });
      expect(await updateRejected(declared.id, { branchId: dev.id })).toMatchObject({
        status: 409,
        code: "app:logical_id_conflict",
      });
      const both = await update(named.id, { branchId: dev.id, displayName: "free" });
      expect(both).toMatchObject({ branchId: dev.id, name: "free" });
    });

    it.each([
      ["logicalId with branchId", { logicalId: "a", branchId: "br_abcdefgh" }, "/logicalId"],
      ["logicalId with branchGitName", { logicalId: "a", branchGitName: "dev" }, "/logicalId"],
      ["null logicalId with a move", { logicalId: null, branchId: null }, "/logicalId"],
      ["branchId with branchGitName", { branchId: "br_abcdefgh", branchGitName: "dev" }, "/branchGitName"],
      ["an empty displayName", { displayName: "" }, "/displayName"],
      ["a null displayName", { displayName: null }, "/displayName"],
      ["an empty logicalId", { logicalId: "" }, "/logicalId"],
      ["a region", { regionId: "eu-west-3" }, "/regionId"],
      ["no body", undefined, ""],
    ])("rejects %s with 422", async (_, body, path) => {
      const { id } = await create();
      expect(await api.issues(`${collection}.update`, { ...at(id), body })).toEqual([path]);
    });

    it("returns 404 for a branch that is not the project's", async () => {
      const { database } = await api.project();
      const { id } = await create();
      expect(await updateRejected(id, { branchId: database.branchId })).toMatchObject({
        status: 404,
        code: "branch:not_found",
      });
    });
  });

  describe("delete", () => {
    it("deletes the app and its deployments, running ones too", async () => {
      const { id } = await create();
      for (const status of ["running", "stopped", "failed", "created"] as const) {
        await api.engine.seed.deployment(id, { status });
      }
      await api.ok(`${collection}.delete`, at(id));
      expect([(await api.store()).apps.size, (await api.store()).deployments.size]).toEqual([0, 0]);
      expect((await create()).name).toBe("web");
    });

    it.each(["provisioning", "stopping"] as const)(
      "returns 409 and changes nothing while a deployment is %s",
      async (status) => {
        const { id } = await create();
        await api.engine.seed.deployment(id, { status: "running" });
        await api.engine.seed.deployment(id, { status });
        expect(await api.refused(`${collection}.delete`, at(id))).toEqual({
          status: 409,
          code: "app:deployments_not_deletable",
        });
      },
    );
  });

  describe("promote", () => {
    const promote = async (id: string, body: unknown) =>
      (await api.ok(`${collection}.promote`, { ...at(id), body })).data;
    const running = (id: string) => api.engine.seed.deployment(id, { status: "running" });

    it("promotes a running deployment", async () => {
      const { id, appEndpointDomain } = await create();
      const deployment = await running(id);
      expect(await promote(id, { deploymentId: deployment.id })).toEqual({
        appEndpointDomain,
        reassignedDomains: 0,
      });
      const { data } = await api.ok(`${collection}.get`, at(id));
      expect(data.latestDeploymentId).toBe(deployment.id);
    });

    it("counts the custom domains that move from the deployment promoted before", async () => {
      const { id } = await create();
      const [first, second] = [await running(id), await running(id)];
      await api.engine.states.attachDomain(id, "early.example.com");
      expect((await promote(id, { deploymentId: first.id })).reassignedDomains).toBe(0);
      await api.engine.states.attachDomain(id, "shop.example.com");
      expect((await promote(id, { deploymentId: first.id })).reassignedDomains).toBe(0);
      expect((await promote(id, { deploymentId: second.id })).reassignedDomains).toBe(2);
      expect((await api.store()).apps.get(id)?.domains.map(({ deploymentId }) => deploymentId)).toEqual([
        second.id,
        second.id,
      ]);
    });

    it("rejects a request without a deployment with 422", async () => {
      const { id } = await create();
      expect(await api.issues(`${collection}.promote`, { ...at(id), body: {} })).toEqual(["/deploymentId"]);
    });

    it("reads the alias versionId only when deploymentId is absent", async () => {
      const { id } = await create();
      const [first, second] = [await running(id), await running(id)];
      await promote(id, { versionId: first.id });
      expect((await api.store()).apps.get(id)?.latestDeploymentId).toBe(first.id);
      await promote(id, { versionId: first.id, deploymentId: second.id.slice("dpl_".length) });
      expect((await api.store()).apps.get(id)?.latestDeploymentId).toBe(second.id);
    });

    it.each(["created", "uploaded", "provisioning", "failed", "stopping", "stopped"] as const)(
      "returns 409 for a deployment that is %s",
      async (status) => {
        const { id } = await create();
        const deployment = await api.engine.seed.deployment(id, { status });
        const asked = { ...at(id), body: { deploymentId: deployment.id } };
        expect(await api.refused(`${collection}.promote`, asked)).toEqual({
          status: 409,
          code: "deployment:not_running",
        });
      },
    );

    it("returns 404 for another app's deployment and for none, 403 for another workspace's", async () => {
      const { id } = await create();
      const other = await running((await create({ displayName: "b" })).id);
      const { project } = await api.project({}, { as: "stranger" });
      const foreign = await running((await api.engine.seed.app(project.id)).id);
      const cases = [
        [other.id, { status: 404, code: "deployment:not_found" }],
        [nobody("dpl_"), { status: 404, code: "deployment:not_found" }],
        [foreign.id, { status: 403, code: "auth:forbidden" }],
      ] as const;
      for (const [deploymentId, expected] of cases) {
        expect(await api.refused(`${collection}.promote`, { ...at(id), body: { deploymentId } })).toEqual(
          expected,
        );
      }
    });

    it.each([
      ["no deployment", {}],
      ["no body", undefined],
      ["a malformed deploymentId", { deploymentId: "NO" }],
      ["a null deploymentId", { deploymentId: null }],
      ["a malformed versionId", { versionId: "NO" }],
      ["an unknown field", { deploymentId: "dpl_abcdefgh", force: true }],
    ])("rejects %s with 422", async (_, body) => {
      const { id } = await create();
      expect(await api.refused(`${collection}.promote`, { ...at(id), body })).toEqual({
        status: 422,
        code: "validation:failed",
      });
    });
  });

  describe("an id", () => {
    const operations = [
      [`${collection}.update`, { displayName: "mine" }],
      [`${collection}.delete`, undefined],
      [`${collection}.promote`, { deploymentId: "dpl_abcdefgh" }],
    ] as const;

    it.each(operations)("causes a 404 in %s when it does not exist", async (id, body) => {
      const gone = await create();
      await api.ok(`${collection}.delete`, at(gone.id));
      for (const appId of [gone.id, nobody("cps_")]) {
        expect(await api.refused(id, { ...at(appId), body })).toEqual({ status: 404, code: "app:not_found" });
      }
    });

    it.each(operations)("causes a 403 in %s when it is in another workspace", async (id, body) => {
      const app = await create();
      expect(await api.refused(id, { ...at(app.id), body, as: "stranger" })).toEqual({
        status: 403,
        code: "auth:forbidden",
      });
    });

    it("causes a 422 when it is malformed if the operation lists 422, otherwise a 404", async () => {
      const body = { displayName: "mine" };
      expect(await api.issues(`${collection}.update`, { ...at("NO"), body })).toEqual([`path/${idName}`]);
      const notFound = { status: 404, code: "app:not_found" };
      expect(await api.refused(`${collection}.delete`, at("__proto__"))).toEqual(notFound);
    });
  });

  it("returns every response that the contract lists", () => {
    expect(unseenResponses(`${collection}.update`, `${collection}.delete`, `${collection}.promote`)).toEqual(
      [],
    );
  });
});
