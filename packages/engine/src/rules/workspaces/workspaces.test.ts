import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "@mgmt/engine";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
});

describe("workspaces.list and get", () => {
  it("return exactly the credential's own workspace", async () => {
    const expected = {
      id: api.workspaceId,
      type: "workspace",
      url: `https://api.mgmt.test/v1/workspaces/${api.workspaceId}`,
      name: "Analytical Engines",
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    for (const as of ["user", "service", "agent"] as const) {
      expect((await api.ok("workspaces.list", { as })).data).toEqual([expected]);
      for (const id of [api.workspaceId, api.workspaceId.slice("wksp_".length)]) {
        expect((await api.ok("workspaces.get", { path: { id }, as })).data).toEqual(expected);
      }
    }
  });

  it("return 404 for another workspace, an unknown one, and a malformed id", async () => {
    for (const id of [api.strangerWorkspaceId, nobody("wksp_"), "NO", "constructor"]) {
      expect(await api.refused("workspaces.get", { path: { id } })).toEqual({
        status: 404,
        code: "workspace:not_found",
      });
    }
  });

  it("return 422 for a bad limit and cursor", async () => {
    expect(await api.issues("workspaces.list", { query: "limit=0" })).toEqual(["query/limit"]);
    expect(await api.issues("workspaces.list", { query: "cursor=x" })).toEqual(["query/cursor"]);
  });
});

describe("workspaces.create", () => {
  it("creates a workspace that the user owns, and reaches with a token for it", async () => {
    const { data } = await api.ok("workspaces.create", { body: { displayName: "Research" } });
    expect(data).toMatchObject({ type: "workspace", name: "Research" });
    const token = await api.engine.tokens.user({ workspaceId: data.id });
    expect((await api.ok("workspaces.list", { token })).data).toEqual([data]);
    expect(await api.refused("workspaces.get", { path: { id: data.id } })).toEqual({
      status: 404,
      code: "workspace:not_found",
    });
  });

  it("accepts an absent body, and generates a readable name", async () => {
    expect((await api.ok("workspaces.create")).data.name).toMatch(/^[a-z]+-[a-z]+-\d+$/);
  });

  it.each(["service", "agent"] as const)("rejects a credential of the kind %s with 403", async (as) => {
    expect(await api.refused("workspaces.create", { as })).toEqual({ status: 403, code: "auth:forbidden" });
  });

  it.each([
    ["an empty displayName", { displayName: "" }, "/displayName"],
    ["a displayName that is too long", { displayName: "n".repeat(257) }, "/displayName"],
    ["a displayName of another type", { displayName: 1 }, "/displayName"],
    ["an unknown field", { name: "Research" }, "/name"],
  ])("rejects %s with 422", async (_, body, path) => {
    expect(await api.issues("workspaces.create", { body })).toEqual([path]);
  });
});

describe("workspaces.subscription.get", () => {
  it("returns the subscription of the settings", async () => {
    const path = { workspaceId: api.workspaceId };
    expect((await api.ok("workspaces.subscription.get", { path })).data).toEqual({
      planName: "Local",
      usageBlocked: false,
      upgradeUrl: "https://api.mgmt.test",
    });
    const blocked = new MemoryServer({ settings: { subscription: { usageBlocked: true } } });
    const response = await blocked.handle({
      method: "GET",
      path: `/v1/workspaces/${blocked.defaults.workspace.id}/subscription`,
      headers: { authorization: `Bearer ${await blocked.tokens.user()}` },
      body: undefined,
    });
    expect(JSON.parse(String(response.body))).toMatchObject({
      data: { planName: "Local", usageBlocked: true },
    });
  });

  it("responds 404 for another workspace or none, and 422 for a malformed id", async () => {
    for (const workspaceId of [api.strangerWorkspaceId, nobody("wksp_")]) {
      expect(await api.refused("workspaces.subscription.get", { path: { workspaceId } })).toEqual({
        status: 404,
        code: "workspace:not_found",
      });
    }
    expect(await api.issues("workspaces.subscription.get", { path: { workspaceId: "NO" } })).toEqual([
      "path/workspaceId",
    ]);
  });
});

it("returns every response that the contract lists for workspaces", () => {
  expect(
    unseenResponses("workspaces.list", "workspaces.create", "workspaces.get", "workspaces.subscription.get"),
  ).toEqual([]);
});
