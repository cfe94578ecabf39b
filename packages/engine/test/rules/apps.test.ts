import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "./api.js";

let api: Api;
let projectId: string;
let mainId: string;
beforeEach(async () => {
  api = new Api();
  const { project, database } = await api.project({ name: "shop" });
  projectId = project.id;
  mainId = database.branchId ?? "";
});

describe.each(["apps", "services"] as const)("%s", (collection) => {
  const idName = collection === "apps" ? "appId" : "serviceId";
  const at = (id: string) => ({ path: { [idName]: id } });

  const create = async (body: Record<string, unknown> = {}) =>
    (await api.ok(`${collection}.create`, { body: { displayName: "web", projectId, ...body } })).data;
  const createRefused = (body: Record<string, unknown> = {}) =>
    api.refusedWith(`${collection}.create`, { body: { displayName: "web", projectId, ...body } });
  const update = async (id: string, body: Record<string, unknown>) =>
    (await api.ok(`${collection}.update`, { ...at(id), body })).data;
  const updateRefused = (id: string, body: unknown) =>
    api.refusedWith(`${collection}.update`, { ...at(id), body });
  const list = async (query: Record<string, string> = {}) =>
    (await api.ok(`${collection}.list`, { query })).data.map(({ id }) => id);

  describe("create", () => {
    it("creates an app on the default branch", async () => {
      const app = await create();
      expect(app).toEqual({
        id: app.id,
        type: "app",
        url: `https://api.mgmt.test/v1/${collection}/${app.id}`,
        name: "web",
        region: { id: "us-east-1", name: "US East (N. Virginia)" },
        projectId,
        branchId: mainId,
        latestDeploymentId: null,
        appEndpointDomain: app.appEndpointDomain,
        createdAt: app.createdAt,
        logicalId: null,
      });
      expect(app.appEndpointDomain).toMatch(/^web-[a-z0-9]+(\.[a-z]+)+$/);
    });

    it("creates it in the requested region, or the project's, or us-east-1", async () => {
      const { project } = await api.project({ region: "eu-central-1" });
      const inProject = { projectId: project.id };
      expect((await create({ ...inProject, regionId: "eu-west-3" })).region.id).toBe("eu-west-3");
      expect((await create({ ...inProject, displayName: "b" })).region.id).toBe("eu-central-1");
      expect((await create()).region.id).toBe("us-east-1");
    });

    it("uses the branch of branchId, or of branchGitName, which it creates, or none", async () => {
      const dev = await api.engine.seed.branch(projectId, { gitName: "dev" });
      expect((await create({ branchId: dev.id })).branchId).toBe(dev.id);
      expect((await create({ branchGitName: "dev", displayName: "b" })).branchId).toBe(dev.id);
      expect((await create({ branchId: null })).branchId).toBeNull();
      expect((await create({ branchGitName: null, displayName: "c" })).branchId).toBeNull();
      const made = await create({ branchGitName: "new" });
      const { data } = await api.ok("branches.get", { path: { branchId: made.branchId ?? "" } });
      expect(data).toMatchObject({ gitName: "new", role: "preview", isDefault: false });
    });

    it("returns 409 app:already_exists when the name is taken on the branch", async () => {
      const { id } = await create({ logicalId: "a" });
      const { error, status } = await createRefused();
      expect(status).toBe(409);
      expect(error).toEqual({
        code: "app:already_exists",
        message: error["message"],
        existingAppId: id,
        name: "web",
        branchGitName: "main",
        conflict: "name",
        logicalId: "a",
      });
    });

    it("returns 409 when the logicalId is taken on the branch", async () => {
      const { id } = await create({ logicalId: "a" });
      const { error } = await createRefused({ displayName: "other", logicalId: "a" });
      expect(error).toMatchObject({
        code: "app:already_exists",
        existingAppId: id,
        name: "web",
        conflict: "logicalId",
        logicalId: "a",
      });
    });

    it("checks the name first", async () => {
      const named = await create({ displayName: "web" });
      await create({ displayName: "other", logicalId: "a" });
      const { error } = await createRefused({ displayName: "web", logicalId: "a" });
      expect(error).toMatchObject({ conflict: "name", existingAppId: named.id, logicalId: null });
    });

    it("accepts the name again on another branch, unassigned, and in another project", async () => {
      const { project } = await api.project();
      await create({ logicalId: "a" });
      await create({ branchGitName: "dev" });
      await create({ branchId: null, logicalId: "a" });
      await create({ projectId: project.id, logicalId: "a" });
      await create({ projectId: project.id, branchId: null });
      const { error } = await createRefused({ branchId: null });
      expect(error).toMatchObject({ code: "app:already_exists", branchGitName: "" });
    });

    it("creates no branch when it is refused", async () => {
      await createRefused({ branchGitName: "dev", displayName: "" });
      expect(api.store.branches.size).toBe(1);
    });

    it.each([
      ["no displayName", { displayName: undefined }, "/displayName"],
      ["an empty displayName", { displayName: "" }, "/displayName"],
      ["a displayName of 257 characters", { displayName: "n".repeat(257) }, "/displayName"],
      ["a displayName of another type", { displayName: 1 }, "/displayName"],
      ["no projectId", { projectId: undefined }, "/projectId"],
      ["a malformed projectId", { projectId: "proj_NO" }, "/projectId"],
      ["a region that does not exist", { regionId: "mars-1" }, "/regionId"],
      ["inherit as a region", { regionId: "inherit" }, "/regionId"],
      ["a malformed branchId", { branchId: "NO" }, "/branchId"],
      ["an empty branchGitName", { branchGitName: "" }, "/branchGitName"],
      ["branchId with branchGitName", { branchId: "br_abcdefgh", branchGitName: "dev" }, "/branchGitName"],
      ["logicalId with branchGitName", { logicalId: "a", branchGitName: "dev" }, "/logicalId"],
      ["a null logicalId", { logicalId: null }, "/logicalId"],
      ["a logicalId that is too long", { logicalId: "a".repeat(256) }, "/logicalId"],
      ["an unknown field", { name: "web" }, "/name"],
    ])("rejects %s with 422", async (_, fields, path) => {
      const body = { displayName: "web", projectId, ...fields };
      expect(await api.issues(`${collection}.create`, { body })).toEqual([path]);
    });

    it("accepts a displayName of 256 characters", async () => {
      expect((await create({ displayName: "n".repeat(256) })).name).toHaveLength(256);
    });

    it("returns 404 for no project and no branch of the project, 403 for another workspace's project", async () => {
      const { project, database } = await api.project({}, { as: "stranger" });
      expect(await createRefused({ projectId: nobody("proj_") })).toMatchObject({
        status: 404,
        code: "project:not_found",
      });
      expect(await createRefused({ projectId: project.id })).toMatchObject({
        status: 403,
        code: "auth:forbidden",
      });
      for (const branchId of [database.branchId, nobody("br_")]) {
        expect(await createRefused({ branchId })).toMatchObject({ status: 404, code: "branch:not_found" });
      }
    });
  });

  describe("list", () => {
    it("lists apps by creation time, oldest first, page by page", async () => {
      const ids = [];
      for (const displayName of ["c", "a", "b"]) ids.push((await create({ displayName })).id);
      const { data, pagination } = await api.ok(`${collection}.list`, { query: { limit: 2 } });
      const rest = await list({ cursor: pagination.nextCursor ?? "" });
      expect([...data.map(({ id }) => id), ...rest]).toEqual(ids);
    });

    it("filters by project, logicalId, branch, unassigned and branchGitName", async () => {
      const { project } = await api.project();
      const onMain = await create({ logicalId: "a" });
      const onDev = await create({ branchGitName: "dev" });
      const loose = await create({ branchId: null });
      const elsewhere = await create({ projectId: project.id });
      expect(await list({ projectId: project.id })).toEqual([elsewhere.id]);
      expect(await list({ logicalId: "a" })).toEqual([onMain.id]);
      expect(await list({ branchId: onDev.branchId ?? "" })).toEqual([onDev.id]);
      expect(await list({ branchId: "unassigned" })).toEqual([loose.id]);
      expect(await list({ branchGitName: "main" })).toEqual([onMain.id, elsewhere.id]);
      expect(await list({ branchGitName: "main", projectId })).toEqual([onMain.id]);
      expect(await list({ branchGitName: "nothing" })).toEqual([]);
    });

    it("returns no other workspace's apps, and an empty list for another workspace's project", async () => {
      const { project } = await api.project({}, { as: "stranger" });
      await api.engine.seed.app(project.id);
      expect(await list()).toEqual([]);
      expect(await list({ projectId: project.id })).toEqual([]);
      expect(await list({ projectId: nobody("proj_") })).toEqual([]);
    });

    it.each([
      ["branchGitName=", "query/branchGitName"],
      ["branchId=unassigned&branchGitName=dev", "query/branchGitName"],
      ["branchId=NO", "query/branchId"],
      ["projectId=NO", "query/projectId"],
      ["logicalId=-a", "query/logicalId"],
      ["limit=1001", "query/limit"],
      ["cursor=x", "query/cursor"],
    ])("rejects ?%s with 422", async (query, path) => {
      expect(await api.issues(`${collection}.list`, { query })).toEqual([path]);
    });
  });

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
      expect(await updateRefused(id, { logicalId: "b" })).toMatchObject({
        status: 409,
        code: "app:logical_id_bound",
      });
    });

    it("rejects a logicalId that another app on the branch has with 409", async () => {
      await create({ logicalId: "a" });
      const free = await create({ displayName: "b" });
      const bound = await create({ displayName: "c", logicalId: "c" });
      for (const { id } of [free, bound]) {
        expect(await updateRefused(id, { logicalId: "a" })).toMatchObject({
          status: 409,
          code: "app:logical_id_conflict",
        });
      }
    });

    it("rejects a name that is taken on the branch with 409 app:already_exists", async () => {
      const taken = await create();
      const { id } = await create({ displayName: "b" });
      const { error } = await updateRefused(id, { displayName: "web" });
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
      expect(await updateRefused(named.id, { branchId: dev.id })).toMatchObject({
        status: 409,
        code: "app:already_exists",
      });
      expect(await updateRefused(declared.id, { branchId: dev.id })).toMatchObject({
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
      expect(await updateRefused(id, { branchId: database.branchId })).toMatchObject({
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
      expect([api.store.apps.size, api.store.deployments.size]).toEqual([0, 0]);
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
      expect(api.store.apps.get(id)?.domains.map(({ deploymentId }) => deploymentId)).toEqual([
        second.id,
        second.id,
      ]);
    });

    it("reads the alias versionId only when deploymentId is absent", async () => {
      const { id } = await create();
      const [first, second] = [await running(id), await running(id)];
      await promote(id, { versionId: first.id });
      expect(api.store.apps.get(id)?.latestDeploymentId).toBe(first.id);
      await promote(id, { versionId: first.id, deploymentId: second.id.slice("dpl_".length) });
      expect(api.store.apps.get(id)?.latestDeploymentId).toBe(second.id);
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
      [`${collection}.get`, undefined],
      [`${collection}.update`, { displayName: "mine" }],
      [`${collection}.delete`, undefined],
      [`${collection}.promote`, { deploymentId: "dpl_abcdefgh" }],
    ] as const;

    it("is found without its prefix", async () => {
      const app = await create();
      expect((await api.ok(`${collection}.get`, at(app.id.slice("cps_".length)))).data).toEqual(app);
    });

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
      expect(await api.refused(`${collection}.get`, at("NO"))).toEqual(notFound);
      expect(await api.refused(`${collection}.delete`, at("__proto__"))).toEqual(notFound);
    });
  });

  it("returns every response that the contract lists", () => {
    expect(
      unseenResponses(
        `${collection}.list`,
        `${collection}.create`,
        `${collection}.get`,
        `${collection}.update`,
        `${collection}.delete`,
        `${collection}.promote`,
      ),
    ).toEqual([]);
  });
});

it("shows one record in both collections, with the url of the one that was called", async () => {
  const { data: app } = await api.ok("apps.create", { body: { displayName: "web", projectId } });
  const { data: service } = await api.ok("services.get", { path: { serviceId: app.id } });
  expect(service).toEqual({ ...app, url: `https://api.mgmt.test/v1/services/${app.id}` });
  expect((await api.ok("services.list")).data[0]?.url).toBe(service.url);
  expect((await api.ok("apps.list")).data[0]?.url).toBe(app.url);
});
