import { beforeEach, expect, it } from "vitest";
import { Api, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
});

const workspace = () => ({ id: api.workspaceId, name: "Analytical Engines" });
const user = () => {
  const { id, email, name } = api.defaults.user;
  return { id, email, name };
};

it("describes the user and the OAuth client of a user's token", async () => {
  const { integration } = await api.engine.seed.integration({ clientName: "Dashboard" });
  const token = await api.engine.tokens.user({ integrationId: integration.id });
  expect((await api.ok("me.get", { token })).data).toEqual({
    user: user(),
    workspace: workspace(),
    credential: { type: "oauth", id: integration.id, name: "Dashboard" },
  });
});

it("describes a user's token without a client as a management token", async () => {
  expect((await api.ok("me.get")).data).toEqual({
    user: user(),
    workspace: workspace(),
    credential: { type: "management_token", id: null, name: null },
  });
});

it("describes no user for a service token", async () => {
  const { id } = api.defaults.serviceToken;
  expect((await api.ok("me.get", { as: "service" })).data).toEqual({
    user: null,
    workspace: workspace(),
    credential: { type: "service_token", id, name: "default" },
  });
});

it("identifies an agent by its own id", async () => {
  expect((await api.ok("me.get", { as: "agent" })).data).toEqual({
    user: null,
    workspace: workspace(),
    credential: { type: "agent_token", id: api.agentId, name: null },
  });
});

it("returns every response that the contract lists for me", () => {
  expect(unseenResponses("me.get")).toEqual([]);
});
