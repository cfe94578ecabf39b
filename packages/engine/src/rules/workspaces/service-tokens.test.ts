import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let workspaceId: string;
beforeEach(async () => {
  api = await Api.open();
  ({ workspaceId } = api);
});

const create = async (name = "ci") =>
  (await api.ok("workspaces.serviceTokens.create", { path: { workspaceId }, body: { name } })).data;
const list = (id = workspaceId, query = "") =>
  api.ok("workspaces.serviceTokens.list", { path: { workspaceId: id }, query });

describe("workspaces.serviceTokens.create", () => {
  it("returns the value, which works, and does not expire", async () => {
    const token = await create();
    expect(token).toEqual({
      id: token.id,
      type: "serviceToken",
      name: "ci",
      valueHint: token.value.slice(-4),
      createdAt: "2026-01-01T00:00:00.000Z",
      expiresAt: null,
      value: token.value,
    });
    await api.later(10 * 365 * 86_400_000);
    const { data } = await api.ok("me.get", { token: token.value });
    expect(data.credential).toEqual({ type: "service_token", id: token.id, name: "ci" });
    expect(data.workspace?.id).toBe(workspaceId);
  });

  it("returns the value once, and never stores it", async () => {
    const { value } = await create();
    expect(JSON.stringify(await list())).not.toContain(value);
    expect(JSON.stringify((await api.engine.snapshot()).store)).not.toContain(value);
  });

  it("accepts a service token, never an agent", async () => {
    const asked = { path: { workspaceId }, body: { name: "ci" } };
    await api.ok("workspaces.serviceTokens.create", { ...asked, as: "service" });
    expect(await api.refused("workspaces.serviceTokens.create", { ...asked, as: "agent" })).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
  });

  it.each([
    ["no name", {}, "/name"],
    ["no body", undefined, ""],
    ["an empty name", { name: "" }, "/name"],
    ["a name that is too long", { name: "n".repeat(257) }, "/name"],
    ["a name of another type", { name: null }, "/name"],
    ["an unknown field", { name: "ci", scopes: [] }, "/scopes"],
  ])("rejects %s with 422", async (_, body, path) => {
    expect(await api.issues("workspaces.serviceTokens.create", { path: { workspaceId }, body })).toEqual([
      path,
    ]);
  });

  it("returns 404 for another workspace and for none, 422 for a malformed id", async () => {
    const body = { name: "ci" };
    for (const id of [api.strangerWorkspaceId, nobody("wksp_")]) {
      expect(
        await api.refused("workspaces.serviceTokens.create", { path: { workspaceId: id }, body }),
      ).toEqual({ status: 404, code: "workspace:not_found" });
    }
    expect(
      await api.issues("workspaces.serviceTokens.create", { path: { workspaceId: "NO" }, body }),
    ).toEqual(["path/workspaceId"]);
  });
});

describe("workspaces.serviceTokens.list", () => {
  it("shows the newest first, page by page", async () => {
    const [a, b] = [await create("a"), await create("b")];
    const { data, pagination } = await list(workspaceId, "limit=1");
    expect(data.map(({ id }) => id)).toEqual([b.id]);
    const c = await create("c");
    const rest = await list(workspaceId, `cursor=${pagination.nextCursor ?? ""}`);
    expect(rest.data.map(({ id }) => id).slice(0, 1)).toEqual([a.id]);
    expect((await list()).data[0]?.id).toBe(c.id);
    expect(data[0]).not.toHaveProperty("value");
  });

  it("returns an empty list when the workspace does not exist or the caller is not a member", async () => {
    await create();
    for (const id of [api.strangerWorkspaceId, nobody("wksp_")]) {
      expect(await list(id)).toEqual({ data: [], pagination: { nextCursor: null, hasMore: false } });
    }
  });

  it("rejects a malformed id, limit and cursor with 422", async () => {
    const ask = (id: string, query: string) =>
      api.issues("workspaces.serviceTokens.list", { path: { workspaceId: id }, query });
    expect(await ask("NO", "limit=0")).toEqual(["path/workspaceId", "query/limit"]);
    expect(await ask(workspaceId, "cursor=x")).toEqual(["query/cursor"]);
  });
});

describe("workspaces.serviceTokens.delete", () => {
  it("ends the token at once", async () => {
    const { id, value } = await create();
    await api.ok("projects.list", { token: value });
    await api.ok("workspaces.serviceTokens.delete", { path: { workspaceId, serviceTokenId: id.slice(4) } });
    expect(await api.send("projects.list", { token: value })).toMatchObject({
      status: 401,
      code: "auth:unauthorized",
    });
    expect(
      await api.refused("workspaces.serviceTokens.delete", { path: { workspaceId, serviceTokenId: id } }),
    ).toEqual({ status: 404, code: "service_token:not_found" });
  });

  it("returns 404 for another workspace's token, in either workspace, and for malformed ids", async () => {
    const foreign = await api.engine.seed.serviceToken({}, { workspaceId: api.strangerWorkspaceId });
    for (const serviceTokenId of [foreign.id, nobody("stk_"), "NO"]) {
      expect(
        await api.refused("workspaces.serviceTokens.delete", { path: { workspaceId, serviceTokenId } }),
      ).toEqual({ status: 404, code: "service_token:not_found" });
    }
    for (const id of [api.strangerWorkspaceId, nobody("wksp_"), "NO"]) {
      const path = { workspaceId: id, serviceTokenId: foreign.id };
      expect(await api.refused("workspaces.serviceTokens.delete", { path })).toEqual({
        status: 404,
        code: "workspace:not_found",
      });
    }
  });
});

it("returns every response that the contract lists for service tokens", () => {
  expect(
    unseenResponses(
      "workspaces.serviceTokens.list",
      "workspaces.serviceTokens.create",
      "workspaces.serviceTokens.delete",
    ),
  ).toEqual([]);
});
