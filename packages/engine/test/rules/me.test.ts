import { beforeEach, expect, it } from "vitest";
import { Api, unseenResponses } from "./api.js";

let api: Api;
beforeEach(() => {
  api = new Api();
});

const workspace = () => ({ id: api.workspaceId, name: "Analytical Engines" });
const user = () => {
  const { id, email, name } = api.engine.residents.user;
  return { id, email, name };
};

it("says who a user's token of an OAuth client belongs to", async () => {
  const { integration } = await api.engine.seed.integration({ clientName: "Dashboard" });
  const token = await api.engine.tokens.user({ integrationId: integration.id });
  expect((await api.ok("me.get", { token })).data).toEqual({
    user: user(),
    workspace: workspace(),
    credential: { type: "oauth", id: integration.id, name: "Dashboard" },
  });
});

it("says that a user's token without a client is a management token", async () => {
  expect((await api.ok("me.get")).data).toEqual({
    user: user(),
    workspace: workspace(),
    credential: { type: "management_token", id: null, name: null },
  });
});

it("knows no user behind a service token", async () => {
  const { id } = api.engine.residents.serviceToken;
  expect((await api.ok("me.get", { as: "service" })).data).toEqual({
    user: null,
    workspace: workspace(),
    credential: { type: "service_token", id, name: "default" },
  });
});

it("knows an agent by its own id", async () => {
  expect((await api.ok("me.get", { as: "agent" })).data).toEqual({
    user: null,
    workspace: workspace(),
    credential: { type: "agent_token", id: api.engine.residents.agentId, name: null },
  });
});

it("gives every answer that the contract lists for me", () => {
  expect(unseenResponses("me.get")).toEqual([]);
});
