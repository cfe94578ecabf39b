import { beforeEach, describe, expect, it } from "vitest";
import { OAuthApi, cli } from "../../../test/oauth/oauth-api.js";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let workspaceId: string;
beforeEach(async () => {
  api = await Api.open();
  ({ workspaceId } = api);
});

const consent = () => api.engine.seed.integration({ clientName: "Dashboard" });
const foreignConsent = () => api.engine.seed.integration({ workspaceId: api.strangerWorkspaceId });

describe("integrations.get", () => {
  it("shows the client and the user who authorized it", async () => {
    const { integration, client } = await consent();
    const { data } = await api.ok("integrations.get", { path: { id: integration.id.slice("itgr_".length) } });
    const { user } = api.defaults;
    expect(data).toEqual({
      id: integration.id,
      url: `https://api.mgmt.test/v1/integrations/${integration.id}`,
      createdAt: "2026-01-01T00:00:00.000Z",
      scopes: ["workspace:admin", "offline_access"],
      client: { id: client.id, name: "Dashboard", createdAt: "2026-01-01T00:00:00.000Z" },
      createdByUser: { id: user.id, email: user.email, displayName: user.name },
    });
  });
});

describe("listing integrations", () => {
  it("shows those of the workspace in both lists, oldest first, page by page", async () => {
    const ids = [(await consent()).integration.id, (await consent()).integration.id];
    await foreignConsent();
    const lists = [
      ["integrations.list", { query: { workspaceId } }],
      ["workspaces.integrations.list", { path: { workspaceId }, query: {} }],
    ] as const;
    for (const [list, asked] of lists) {
      expect((await api.ok(list, asked)).data.map(({ id }) => id)).toEqual(ids);
      const { data, pagination } = await api.ok(list, { ...asked, query: { ...asked.query, limit: 1 } });
      const cursor = pagination.nextCursor ?? "";
      const rest = await api.ok(list, { ...asked, query: { ...asked.query, cursor } });
      expect([...data, ...rest.data].map(({ id }) => id)).toEqual(ids);
    }
  });

  it("returns an empty list for another workspace, and for an unknown one, as a filter", async () => {
    await foreignConsent();
    for (const id of [api.strangerWorkspaceId, nobody("wksp_")]) {
      expect((await api.ok("integrations.list", { query: { workspaceId: id } })).data).toEqual([]);
    }
  });

  it("returns 404 for another workspace, and for none, in the path", async () => {
    for (const id of [api.strangerWorkspaceId, nobody("wksp_")]) {
      expect(await api.refused("workspaces.integrations.list", { path: { workspaceId: id } })).toEqual({
        status: 404,
        code: "workspace:not_found",
      });
    }
  });

  it("rejects a missing, malformed or repeated workspaceId with 422", async () => {
    for (const query of ["", "workspaceId=NO", "workspaceId=", "workspaceId=a&workspaceId=b"]) {
      expect(await api.issues("integrations.list", { query }), query).toEqual(["query/workspaceId"]);
    }
    expect(await api.issues("workspaces.integrations.list", { path: { workspaceId: "NO" } })).toEqual([
      "path/workspaceId",
    ]);
  });
});

describe("deleting an integration", () => {
  it.each(["integrations.delete", "workspaces.integrations.delete"] as const)(
    "revokes its tokens at once by %s, and no others",
    async (operationId) => {
      const { integration, client } = await consent();
      const kept = await consent();
      const token = await api.engine.tokens.user({ integrationId: integration.id });
      const other = await api.engine.tokens.user({ integrationId: kept.integration.id });
      await api.ok("projects.list", { token });
      const path = { id: integration.id, workspaceId, clientId: client.id };
      await api.ok(operationId, { path });
      expect(await api.send("projects.list", { token })).toMatchObject({
        status: 401,
        code: "auth:unauthorized",
      });
      await api.ok("projects.list", { token: other });
      expect(await api.refused(operationId, { path })).toEqual({
        status: 404,
        code: "integration:not_found",
      });
    },
  );

  it.each([
    ["integrations.delete", (id: string) => `/v1/integrations/${id}`],
    [
      "workspaces.integrations.delete",
      (_: string, workspace: string) => `/v1/workspaces/${workspace}/integrations/${cli.client}`,
    ],
  ])("ends the logins of the integration by %s, and no others", async (_operationId, pathOf) => {
    const oauth = await OAuthApi.open();
    const { user, otherUser, workspace } = oauth.defaults;
    const ended = await oauth.login({ user: user.id });
    const other = await oauth.login({ user: otherUser.id });
    const grants = (await oauth.store()).grants.list({});
    const [{ integrationId } = { integrationId: "" }] = grants.filter(({ userId }) => userId === user.id);
    const path = pathOf(integrationId, workspace.id);
    const headers = { authorization: `Bearer ${ended.accessToken}` };
    expect((await oauth.send({ method: "DELETE", path, headers })).status).toBe(204);

    expect((await oauth.refresh(other.refreshToken)).status).toBe(200);
    expect((await oauth.refresh(ended.refreshToken)).error).toBe("invalid_grant");
    // The refresh has deleted the rows that expired.
    expect((await oauth.store()).grants.list({}).map(({ userId }) => userId)).toEqual([otherUser.id]);
  });

  it("ends the token that it is called with", async () => {
    const { integration } = await consent();
    const token = await api.engine.tokens.user({ integrationId: integration.id });
    await api.ok("integrations.delete", { path: { id: integration.id }, token });
    expect((await api.send("projects.list", { token })).status).toBe(401);
  });

  it("accepts the client's id without its prefix", async () => {
    const { client } = await consent();
    const clientId = client.id.slice("itgr_".length);
    await api.ok("workspaces.integrations.delete", { path: { workspaceId, clientId } });
    expect((await api.store()).integrations.size).toBe(0);
  });

  it("returns 404 for a client that the workspace has not authorized, and for another workspace", async () => {
    const { client } = await foreignConsent();
    for (const clientId of [client.id, nobody("itgr_"), "NO"]) {
      const path = { workspaceId, clientId };
      expect(await api.refused("workspaces.integrations.delete", { path })).toEqual({
        status: 404,
        code: "integration:not_found",
      });
    }
    for (const id of [api.strangerWorkspaceId, nobody("wksp_"), "NO"]) {
      const path = { workspaceId: id, clientId: client.id };
      expect(await api.refused("workspaces.integrations.delete", { path })).toEqual({
        status: 404,
        code: "workspace:not_found",
      });
    }
  });
});

it.each(["integrations.get", "integrations.delete"] as const)(
  "returns 404 from %s for a malformed, an unknown, and another workspace's id",
  async (operationId) => {
    const { integration } = await foreignConsent();
    for (const id of [integration.id, nobody("itgr_"), "NO", "__proto__"]) {
      expect(await api.refused(operationId, { path: { id } })).toEqual({
        status: 404,
        code: "integration:not_found",
      });
    }
  },
);

it("returns every response that the contract lists for integrations", () => {
  expect(
    unseenResponses(
      "integrations.list",
      "integrations.get",
      "integrations.delete",
      "workspaces.integrations.list",
      "workspaces.integrations.delete",
    ),
  ).toEqual([]);
});
