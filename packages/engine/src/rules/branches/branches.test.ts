import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let projectId: string;
beforeEach(async () => {
  api = await Api.open();
  ({ id: projectId } = (await api.project({ name: "shop" })).project);
});

const create = async (body: Record<string, unknown>) =>
  (await api.ok("projects.branches.create", { path: { projectId }, body })).data;
const list = async (query?: string) =>
  (await api.ok("projects.branches.list", { path: { projectId }, ...(query !== undefined && { query }) }))
    .data;
const main = async (): Promise<string> => (await list("gitName=main"))[0]?.id ?? "";

describe("projects.branches.create", () => {
  it("creates a preview branch", async () => {
    const branch = await create({ gitName: "feature/cart" });
    expect(branch).toEqual({
      id: branch.id,
      type: "branch",
      url: `https://api.mgmt.test/v1/branches/${branch.id}`,
      gitName: "feature/cart",
      isDefault: false,
      role: "preview",
      createdAt: branch.createdAt,
      updatedAt: branch.createdAt,
      project: { id: projectId, url: `https://api.mgmt.test/v1/projects/${projectId}`, name: "shop" },
    });
  });

  it("moves the default when it is asked to, and no role", async () => {
    await create({ gitName: "dev", isDefault: true });
    expect((await list()).map(({ gitName, isDefault, role }) => [gitName, isDefault, role])).toEqual([
      ["main", false, "production"],
      ["dev", true, "preview"],
    ]);
  });

  it("rejects a gitName that a live branch of the project has with 409", async () => {
    await create({ gitName: "dev" });
    for (const gitName of ["dev", "main"]) {
      expect(
        await api.refused("projects.branches.create", { path: { projectId }, body: { gitName } }),
      ).toEqual({ status: 409, code: "branch:already_exists" });
    }
    const { project } = await api.project();
    await api.ok("projects.branches.create", { path: { projectId: project.id }, body: { gitName: "dev" } });
  });

  it.each([
    ["no gitName", {}, "/gitName"],
    ["an empty gitName", { gitName: "" }, "/gitName"],
    ["a gitName that is too long", { gitName: "n".repeat(256) }, "/gitName"],
    ["a null gitName", { gitName: null }, "/gitName"],
    ["a role", { gitName: "dev", role: "production" }, "/role"],
    ["isDefault as text", { gitName: "dev", isDefault: "true" }, "/isDefault"],
  ])("rejects %s with 422", async (_, body, path) => {
    expect(await api.issues("projects.branches.create", { path: { projectId }, body })).toEqual([path]);
  });

  it("returns 404 for another workspace's project, and for none", async () => {
    const { project } = await api.project({}, { as: "stranger" });
    for (const id of [project.id, nobody("proj_")]) {
      const notFound = { status: 404, code: "project:not_found" };
      const path = { projectId: id };
      expect(await api.refused("projects.branches.create", { path, body: { gitName: "dev" } })).toEqual(
        notFound,
      );
      expect(await api.refused("projects.branches.list", { path })).toEqual(notFound);
    }
  });
});

describe("projects.branches.list", () => {
  it("lists live branches, oldest first, page by page", async () => {
    const dev = await create({ gitName: "dev" });
    const first = await api.ok("projects.branches.list", { path: { projectId }, query: { limit: 1 } });
    const cursor = first.pagination.nextCursor ?? "";
    expect(first.data.map(({ gitName }) => gitName)).toEqual(["main"]);
    expect((await list(`cursor=${cursor}`)).map(({ id }) => id)).toEqual([dev.id]);
    await api.ok("branches.delete", { path: { branchId: dev.id } });
    expect(await list(`cursor=${cursor}`)).toEqual([]);
  });

  it("filters by gitName, and by a part of it", async () => {
    for (const gitName of ["feature/cart", "feature/pay", "Feature"]) await create({ gitName });
    const names = async (query: string) => (await list(query)).map(({ gitName }) => gitName);
    expect(await names("gitName=feature/cart")).toEqual(["feature/cart"]);
    expect(await names("gitName=feature")).toEqual([]);
    expect(await names("gitNameContains=feature")).toEqual(["feature/cart", "feature/pay"]);
  });

  it.each([
    ["gitName=a&gitNameContains=b", "query/gitNameContains"],
    ["gitName=", "query/gitName"],
    ["limit=0", "query/limit"],
    ["cursor=x", "query/cursor"],
  ])("rejects ?%s with 422", async (query, path) => {
    expect(await api.issues("projects.branches.list", { path: { projectId }, query })).toEqual([path]);
  });
});

describe("branches.update", () => {
  it("moves the default flag; roles stay", async () => {
    const dev = await create({ gitName: "dev" });
    await api.later(1_000);
    const { data } = await api.ok("branches.update", {
      path: { branchId: dev.id },
      body: { isDefault: true },
    });
    expect(data).toMatchObject({ isDefault: true, role: "preview" });
    expect(data.updatedAt > data.createdAt).toBe(true);
    const { data: old } = await api.ok("branches.get", { path: { branchId: await main() } });
    expect(old).toMatchObject({ isDefault: false, role: "production", updatedAt: data.updatedAt });
  });

  it("changes nothing for what is so already", async () => {
    const dev = await create({ gitName: "dev" });
    const before = await list();
    await api.later(1_000);
    await api.ok("branches.update", { path: { branchId: dev.id }, body: { isDefault: false } });
    await api.ok("branches.update", { path: { branchId: dev.id }, body: {} });
    await api.ok("branches.update", { path: { branchId: dev.id }, body: { isDefault: null } });
    await api.ok("branches.update", { path: { branchId: await main() }, body: { isDefault: null } });
    await api.ok("branches.update", { path: { branchId: await main() }, body: { isDefault: true } });
    expect(await list()).toEqual(before);
  });

  it("rejects taking the flag away with 422", async () => {
    const asked = { path: { branchId: await main() }, body: { isDefault: false } };
    expect(await api.issues("branches.update", asked)).toEqual(["/isDefault"]);
  });

  it.each([
    ["a new gitName", { gitName: "trunk" }, "/gitName"],
    ["a role", { role: "production" }, "/role"],
    ["no body", undefined, ""],
  ])("rejects %s with 422", async (_, body, path) => {
    expect(await api.issues("branches.update", { path: { branchId: await main() }, body })).toEqual([path]);
  });
});

describe("branches.delete", () => {
  it("releases the gitName", async () => {
    const dev = await create({ gitName: "dev" });
    await api.ok("branches.delete", { path: { branchId: dev.id } });
    expect((await create({ gitName: "dev" })).id).not.toBe(dev.id);
  });

  it("rejects the default and the production branch with 422", async () => {
    const dev = await create({ gitName: "dev", isDefault: true });
    for (const branchId of [await main(), dev.id]) {
      expect(await api.refused("branches.delete", { path: { branchId } })).toEqual({
        status: 422,
        code: "branch:default_protected",
      });
    }
  });

  it("rejects a branch with live members with 409, until they are gone", async () => {
    const dev = await create({ gitName: "dev" });
    const path = { branchId: dev.id };
    const database = await api.database(projectId, path);
    const app = await api.engine.seed.app(projectId, path);
    const { error } = await api.rejectedWith("branches.delete", { path });
    expect(error).toMatchObject({
      code: "branch:has_resources",
      message: "The branch still has 1 database and 1 app",
    });
    await api.ok("databases.delete", { path: { databaseId: database.id } });
    expect(await api.refused("branches.delete", { path })).toEqual({
      status: 409,
      code: "branch:has_resources",
    });
    await api.ok("services.update", { path: { serviceId: app.id }, body: { branchId: null } });
    await api.ok("branches.delete", { path });
  });
});

describe("a branch's id", () => {
  it.each(["branches.get", "branches.update", "branches.delete"] as const)(
    "causes a 404 in %s when it does not exist or is in another workspace",
    async (operationId) => {
      const { database } = await api.project({}, { as: "stranger" });
      const dev = await create({ gitName: "dev" });
      await api.ok("branches.delete", { path: { branchId: dev.id } });
      for (const branchId of [database.branchId ?? "", nobody("br_"), dev.id]) {
        expect(await api.refused(operationId, { path: { branchId }, body: {} })).toEqual({
          status: 404,
          code: "branch:not_found",
        });
      }
    },
  );

  it("causes a 422 when it is malformed if the operation lists 422, otherwise a 404", async () => {
    const asked = { path: { branchId: "NO" }, body: {} };
    expect(await api.issues("branches.update", asked)).toEqual(["path/branchId"]);
    expect(await api.issues("branches.delete", asked)).toEqual(["path/branchId"]);
    expect(await api.refused("branches.get", asked)).toEqual({ status: 404, code: "branch:not_found" });
  });
});

it("returns every response that the contract lists for branches", () => {
  expect(
    unseenResponses(
      "projects.branches.list",
      "projects.branches.create",
      "branches.get",
      "branches.update",
      "branches.delete",
    ),
  ).toEqual([]);
});
