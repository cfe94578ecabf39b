import { beforeEach, describe, expect, it } from "vitest";
import { type Api, nobody, unseenResponses } from "../../../test/rules/api.js";
import { appCalls, startShop } from "../../../test/rules/shop.js";

let api: Api;
let projectId: string;
let mainId: string;
beforeEach(async () => {
  ({ api, projectId, mainId } = await startShop());
});

describe.each(["apps", "services"] as const)("%s", (collection) => {
  const { at, create, createRejected, list } = appCalls(collection, () => ({ api, projectId }));

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
      const { error, status } = await createRejected();
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
      const { error } = await createRejected({ displayName: "other", logicalId: "a" });
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
      const { error } = await createRejected({ displayName: "web", logicalId: "a" });
      expect(error).toMatchObject({ conflict: "name", existingAppId: named.id, logicalId: null });
    });

    it("accepts the name again on another branch, unassigned, and in another project", async () => {
      const { project } = await api.project();
      await create({ logicalId: "a" });
      await create({ branchGitName: "dev" });
      await create({ branchId: null, logicalId: "a" });
      await create({ projectId: project.id, logicalId: "a" });
      await create({ projectId: project.id, branchId: null });
      const { error } = await createRejected({ branchId: null });
      expect(error).toMatchObject({ code: "app:already_exists", branchGitName: "" });
    });

    it("creates no branch when it is refused", async () => {
      await createRejected({ branchGitName: "dev", displayName: "" });
      expect((await api.store()).branches.size).toBe(1);
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
      expect(await createRejected({ projectId: nobody("proj_") })).toMatchObject({
        status: 404,
        code: "project:not_found",
      });
      expect(await createRejected({ projectId: project.id })).toMatchObject({
        status: 403,
        code: "auth:forbidden",
      });
      for (const branchId of [database.branchId, nobody("br_")]) {
        expect(await createRejected({ branchId })).toMatchObject({ status: 404, code: "branch:not_found" });
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

  describe("an id", () => {
    const operations = [[`${collection}.get`, undefined]] as const;

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

    it("causes a 404 when it is malformed", async () => {
      const notFound = { status: 404, code: "app:not_found" };
      expect(await api.refused(`${collection}.get`, at("NO"))).toEqual(notFound);
    });
  });

  it("returns every response that the contract lists", () => {
    expect(unseenResponses(`${collection}.list`, `${collection}.create`, `${collection}.get`)).toEqual([]);
  });
});

it("shows one record in both collections, with the url of the one that was called", async () => {
  const { data: app } = await api.ok("apps.create", { body: { displayName: "web", projectId } });
  const { data: service } = await api.ok("services.get", { path: { serviceId: app.id } });
  expect(service).toEqual({ ...app, url: `https://api.mgmt.test/v1/services/${app.id}` });
  expect((await api.ok("services.list")).data[0]?.url).toBe(service.url);
  expect((await api.ok("apps.list")).data[0]?.url).toBe(app.url);
});
