import { describe, expectTypeOf, it } from "vitest";
import {
  type CreateApp,
  type CreateDatabase,
  type PromoteApp,
  type Schemas,
  type UpdateApp,
  createClient,
} from "@mgmt/sdk";

const client = createClient({ baseUrl: "https://x.test", token: false });
const place = { displayName: "web", projectId: "proj_1" };
const source = { type: "empty" } as const;
const fromDatabase = { id: "db_1" };

/** The calls are only compiled, not made. */
const compiled = (...calls: (() => unknown)[]): void => {
  expectTypeOf(calls).toExtend<(() => unknown)[]>();
};

describe("inputs", () => {
  it("name a branch in one way: `branchId` with `branchGitName` does not compile", () => {
    compiled(
      // @ts-expect-error Both name a branch.
      () => client.services.create({ ...place, branchId: "br_1", branchGitName: "main" }),
      // @ts-expect-error Both name a branch.
      () => client.apps.create({ ...place, branchId: "br_1", branchGitName: "main" }),
      // @ts-expect-error Both name a branch.
      () => client.services.update("cps_1", { branchId: "br_1", branchGitName: "main" }),
      // @ts-expect-error Both name a branch.
      () => client.databases.create({ projectId: "proj_1", branchId: "br_1", branchGitName: "main" }),
      // @ts-expect-error Both name a branch.
      () => client.databases.update("db_1", { branchId: "br_1", branchGitName: "main" }),
      () => client.services.create({ ...place, branchId: "br_1" }),
      () => client.services.create({ ...place, branchGitName: "main" }),
      () => client.databases.update("db_1", { branchGitName: "main" }),
    );
  });

  it("filter by one name of a branch: two filters do not compile", () => {
    compiled(
      // @ts-expect-error Both filter by branch.
      () => client.services.list({ branchId: "br_1", branchGitName: "main" }),
      // @ts-expect-error Both filter by branch.
      () => client.apps.list({ branchId: "unassigned", branchGitName: "main" }),
      // @ts-expect-error Both filter by branch.
      () => client.databases.list({ branchId: "br_1", branchGitName: "main" }),
      // @ts-expect-error Both filter by branch.
      () => client.projects.branches.list("proj_1", { gitName: "main", gitNameContains: "ma" }),
      () => client.services.list({ branchId: "unassigned", projectId: "proj_1", limit: 5 }),
      () => client.projects.branches.list("proj_1", { gitNameContains: "ma" }),
    );
  });

  it("accept no logicalId together with a branch's git name or a move", () => {
    compiled(
      // @ts-expect-error A logicalId requires `branchId`.
      () => client.services.create({ ...place, logicalId: "web", branchGitName: "main" }),
      // @ts-expect-error A logicalId of a database requires `branchId` too.
      () => client.databases.create({ projectId: "proj_1", logicalId: "main", branchGitName: "main" }),
      // @ts-expect-error A move cannot set a logicalId.
      () => client.services.update("cps_1", { logicalId: "web", branchId: "br_1" }),
      // @ts-expect-error A move to no branch cannot set a logicalId either.
      () => client.services.update("cps_1", { logicalId: null, branchId: null }),
      // @ts-expect-error A move of a database cannot set a logicalId either.
      () => client.databases.update("db_1", { logicalId: null, branchGitName: "main" }),
      () => client.services.create({ ...place, logicalId: "web", branchId: "br_1" }),
      () => client.services.update("cps_1", { logicalId: null, displayName: "web" }),
    );
  });

  it('preserve an explicit null where it means "no branch"', () => {
    compiled(
      () => client.services.create({ ...place, branchId: null, logicalId: "web" }),
      () => client.services.create({ ...place, branchId: null, branchGitName: "main" }),
      () => client.services.create({ ...place, branchId: "br_1", branchGitName: null, logicalId: "web" }),
      () => client.services.update("cps_1", { branchId: null, branchGitName: null }),
      () => client.databases.update("db_1", { logicalId: null }),
      // @ts-expect-error A database has a branch.
      () => client.databases.create({ projectId: "proj_1", branchId: null }),
    );
  });

  it("fill a database from one source: `source` with `fromDatabase` does not compile", () => {
    compiled(
      // @ts-expect-error Two sources.
      () => client.databases.create({ projectId: "proj_1", source, fromDatabase }),
      // @ts-expect-error Two sources.
      () => client.projects.databases.create("proj_1", { source, fromDatabase }),
      () => client.projects.databases.create("proj_1", { source }),
      () => client.databases.create({ projectId: "proj_1", fromDatabase, branchGitName: "main" }),
      () => client.databases.create({ projectId: "proj_1", source, branchId: "br_1", logicalId: "main" }),
    );
  });

  it("promote one deployment, by its current name or its deprecated one", () => {
    compiled(
      // @ts-expect-error No deployment.
      () => client.services.promote("cps_1", {}),
      // @ts-expect-error The deprecated name would be ignored.
      () => client.services.promote("cps_1", { deploymentId: "dpl_1", versionId: "dpl_2" }),
      () => client.services.promote("cps_1", { deploymentId: "dpl_1" }),
      () => client.apps.promote("cps_1", { versionId: "dpl_1" }),
    );
  });

  it("apply to the typed path client too", () => {
    compiled(
      // @ts-expect-error Both name a branch.
      () => client.http.POST("/v1/services", { body: { ...place, branchId: "br_1", branchGitName: "main" } }),
      () =>
        client.http.POST("/v1/services/{serviceId}/promote", {
          params: { path: { serviceId: "cps_1" } },
          // @ts-expect-error No deployment.
          body: {},
        }),
      () =>
        client.http.GET("/v1/databases", {
          // @ts-expect-error Both filter by branch.
          params: { query: { branchId: "br_1", branchGitName: "main" } },
        }),
      () => client.http.GET("/v1/databases", { params: { query: { branchGitName: "main" } } }),
      () => client.http.POST("/v1/services", { body: { ...place, branchId: null, logicalId: "web" } }),
    );
  });

  it("can be held in variables of their named types", () => {
    const app: CreateApp = { ...place, branchGitName: "main" };
    const database: CreateDatabase = { projectId: "proj_1", source };
    const change: UpdateApp = { displayName: "web" };
    const promotion: PromoteApp = { deploymentId: "dpl_1" };
    compiled(
      () => client.services.create(app),
      () => client.databases.create(database),
      () => client.services.update("cps_1", change),
      () => client.services.promote("cps_1", promotion),
    );
    expectTypeOf(client.services.create).parameter(0).toEqualTypeOf<Schemas["CreateApp"]>();
  });
});
