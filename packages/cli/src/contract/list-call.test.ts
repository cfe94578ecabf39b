import { describe, expect, it } from "vitest";
import { createListCall, readResourceId, readResourceName } from "./list-call.js";

describe("the call of a list", () => {
  it.each([
    [{ project: "proj_1" }, { projectId: "proj_1", limit: 1_000 }],
    [
      { project: "proj_1", branch: "br_1" },
      { projectId: "proj_1", branchId: "br_1", limit: 1_000 },
    ],
    [{ workspace: "wksp_1" }, { limit: 1_000 }],
  ])("of databases is limited to parents that its operation has: %j", (parents, query) => {
    expect(createListCall("database", parents)).toEqual({
      method: "GET",
      path: "/v1/databases",
      pathParams: {},
      query,
    });
  });

  it("of branches has the project in its path, and the limit of the caller", () => {
    expect(createListCall("branch", { project: "proj_1" }, 5)).toMatchObject({
      path: "/v1/projects/{projectId}/branches",
      pathParams: { projectId: "proj_1" },
      query: { limit: 5 },
    });
  });
});

it("the id of a client is that of its credentials, not that of its integration", () => {
  const item = { id: "itgr_1", client: { id: "cli_1" } };
  expect([readResourceId("client", item), readResourceId("integration", item)]).toEqual(["cli_1", "itgr_1"]);
  expect([readResourceId("client", { id: "itgr_1" }), readResourceId("project", { id: 1 })]).toEqual([
    undefined,
    undefined,
  ]);
});

it.each([
  [{ name: "shop", displayName: "Shop", gitName: "main" }, "shop"],
  [{ displayName: "Shop", gitName: "main" }, "Shop"],
  [{ gitName: "main", client: { name: "app" } }, "main"],
  [{ client: { name: "app" } }, "app"],
  [{ name: null, gitName: "main" }, "main"],
  [{ name: "" }, undefined],
  [{ name: 1 }, undefined],
  [{}, undefined],
  [["shop"], undefined],
  [null, undefined],
])("the name of %j is %j", (resource, name) => {
  expect(readResourceName(resource)).toBe(name);
});
