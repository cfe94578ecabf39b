import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createClient } from "@mgmt/sdk";
import { setupMock } from "@mgmt/mock";
import { type RunningServer, createServer } from "@mgmt/mock/server";

const folder = mkdtempSync(join(tmpdir(), "mgmt-record-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const startUpstream = async (): Promise<RunningServer> => {
  const server = await createServer();
  closing.push(() => server.close(0));
  return server;
};

const record = async (upstream: RunningServer) => {
  const mock = setupMock();
  const recording = await mock.record({ upstream: upstream.baseUrl });
  const token = await upstream.engine.tokens.user();
  const client = createClient({ baseUrl: mock.baseUrl, fetch: mock.fetch, token: () => token });
  return { mock, recording, client, token };
};

/** Sends requests of several kinds, and returns the secrets that they and their responses contain. */
const useEverything = async (upstream: RunningServer) => {
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
    ...upstream.engine.rows.connections.list({}).map(({ pass }) => pass),
    JSON.stringify(connection).match(/postgres(?:ql)?:\/\/[^"]+/)?.[0] ?? "",
  ];
  return { mock, recording, secrets };
};

describe("a recording", () => {
  it("shows no difference from the reference server that it was made with", async () => {
    const { recording } = await useEverything(await startUpstream());
    const path = join(folder, "same.json");
    await recording.save(path);
    const mock = setupMock();
    const report = await mock.replay(path);
    expect(report.flatMap(({ differences }) => differences)).toEqual([]);
    expect(report.find(({ operationId }) => operationId === "projects.create")?.compared).toBe(1);
    expect(mock.store.projects.list({}).map(({ name }) => name)).toContain("existing");
  });

  it("shows where a service differs in status, code, and shape", async () => {
    const upstream = await startUpstream();
    const { engine } = upstream;
    const { recording, client } = await record(upstream);
    engine.faults.add({ operation: "projects.create", status: 409, code: "project:strange", times: 1 });
    await expect(client.projects.create({ name: "shop" })).rejects.toMatchObject({ status: 409 });
    engine.faults.add({ operation: "projects.get", status: 404, code: "project:gone", times: 1 });
    await expect(client.projects.get("proj_none")).rejects.toMatchObject({ code: "project:gone" });
    const body = JSON.stringify({ data: { user: 5 } });
    engine.faults.add({ operation: "me.get", status: 200, body, contentType: "application/json", times: 1 });
    await client.me.get();

    const report = await setupMock().replay(recording.recording());
    const differences = report.flatMap((each) => each.differences);
    expect(differences).toContainEqual({
      kind: "status",
      request: "POST /v1/projects",
      recorded: "409",
      reference: "201",
    });
    expect(differences).toContainEqual({
      kind: "code",
      request: "GET /v1/projects/proj_none",
      recorded: "project:gone",
      reference: "project:not_found",
    });
    expect(differences).toContainEqual({
      kind: "shape",
      request: "GET /v1/me",
      recorded: "/data/user: number",
      reference: "/data/user: object",
    });
  });
});
