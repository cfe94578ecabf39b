import { expect, onTestFinished } from "vitest";
import { createClient } from "@mgmt/sdk";
import { setupMock } from "@mgmt/mock";
import { type RunningServer, createServer } from "@mgmt/mock/server";

/** Starts a service to record, which ends after the test. */
export const startUpstream = async (): Promise<RunningServer> => {
  const server = await createServer();
  onTestFinished(() => server.close(0));
  return server;
};

/** Starts to record a service with a new mock. */
export const record = async (upstream: RunningServer) => {
  const mock = setupMock();
  const recording = await mock.record({ upstream: upstream.baseUrl });
  const token = await upstream.engine.tokens.user();
  const client = createClient({ baseUrl: mock.baseUrl, fetch: mock.fetch, token: () => token });
  return { mock, recording, client, token };
};

/** Sends requests of several kinds, and returns the secrets that they and their responses contain. */
export const useEverything = async (upstream: RunningServer) => {
  await upstream.engine.seed.project({ name: "existing" });
  const { mock, recording, client, token } = await record(upstream);
  await client.projects.list();
  await client.databases.list();
  const project = await client.projects.create({ name: "shop" });
  await client.projects.get(project.id);
  const databaseId = project.database?.id ?? "";
  const connection = await client.databases.connections.create(databaseId, { name: "reader" });
  await client.connections.list({ databaseId });
  const workspaceId = upstream.engine.defaults.workspace.id;
  const created = await client.workspaces.serviceTokens.create(workspaceId, { name: "ci" });
  await expect(client.projects.get("proj_none")).rejects.toMatchObject({ status: 404 });
  const secrets = [
    token,
    created.value,
    ...upstream.engine.rows.connections.list({}).flatMap(({ pass }) => pass ?? []),
    JSON.stringify(connection).match(/postgres(?:ql)?:\/\/[^"]+/)?.[0] ?? "",
  ];
  return { mock, recording, secrets };
};
