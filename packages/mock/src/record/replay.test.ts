import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import type { RecordedExchange, RecordedSeed, Recording } from "./recording.js";
import { record, startUpstream, useEverything } from "../../test/record/recorded-service.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-record-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
    const differences = report.flatMap(({ differences }) => differences);
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

describe("a recording of another service", () => {
  const ids = { workspace: "w_1", project: "p_1", branch: "b_1", database: "d_1", connection: "c_1" };
  const seed = (kind: RecordedSeed["kind"], id: string, resource: object = {}): RecordedSeed => ({
    ...{ kind, id },
    resource: { id, type: kind, ...resource },
  });
  const get = (path: string, response: unknown, more: Partial<RecordedExchange> = {}): RecordedExchange => ({
    ...{ operationId: "any", method: "GET", path, body: null, authorized: true },
    ...{ status: 200, code: null, response, latency: 1, ...more },
  });
  const recordingOf = (seeds: RecordedSeed[], exchanges: RecordedExchange[]): Recording => ({
    ...{
      format: "mgmt-recording",
      version: 1,
      upstream: "https://api.test",
      recordedAt: "",
      seeds,
      exchanges,
    },
  });
  const project = { project: { id: ids.project } };

  it("is repeated with the resources that it has, by their new ids", async () => {
    const mock = setupMock();
    const seeds = [
      seed("workspace", ids.workspace),
      seed("workspace", "w_2", { name: "second" }),
      seed("project", ids.project, { name: "shop" }),
      seed("project", "p_10", { name: "archive" }),
      seed("branch", ids.branch, { ...project, gitName: "trunk", isDefault: true }),
      seed("branch", "b_2", { ...project, gitName: "feature" }),
      seed("branch", "b_3", { project: { id: "p_none" } }),
      seed("database", ids.database, { ...project, name: "reports", isDefault: true }),
      seed("database", "d_2", { project: null }),
      seed("connection", ids.connection, { database: { id: ids.database }, name: "reader" }),
      seed("connection", "c_2", { database: { id: "d_none" } }),
    ];
    const paths = [
      "workspaces/w_1",
      "projects/p_1",
      "projects/p_10",
      "branches/b_1",
      "branches/b_2",
      "databases/d_1",
    ];
    const missing = ["branches/b_3", "databases/d_2", "connections/c_2"];
    const report = await mock.replay(
      recordingOf(seeds, [
        ...[...paths, "connections/c_1"].map((path) => get(`/v1/${path}`, null)),
        ...missing.map((path) => get(`/v1/${path}`, null, { status: 404 })),
      ]),
    );
    const differences = report.flatMap(({ differences }) => differences);
    expect(differences.filter(({ kind }) => kind === "status")).toEqual([]);
    const { workspaces, projects, branches, databases, connections } = mock.store;
    expect(workspaces.list({}).map(({ name }) => name)).toContain("second");
    expect(projects.list({}).map(({ name }) => name)).toEqual(["shop", "archive"]);
    expect(branches.list({}).map(({ gitName }) => gitName)).toEqual(["main", "main", "feature"]);
    expect(databases.list({}).map(({ name, isDefault }) => [name, isDefault])).toEqual([["reports", true]]);
    expect(connections.list({}).map(({ name }) => name)).toContain("reader");
  });

  it("leaves out what cannot be repeated, and repeats requests without a valid credential", async () => {
    const [{ compared, skipped, differences } = {}] = await setupMock().replay(
      recordingOf(
        [],
        [
          get("/v1/projects/…", {}),
          get("/v1/projects", {}, { method: "POST", body: { name: "[secret]" } }),
          get("/v1/me", {}, { status: 401, code: "auth:unauthorized", response: null }),
          get("/v1/me", {}, { authorized: false, status: 401, code: "auth:unauthorized", response: null }),
        ],
      ),
    );
    expect({ compared, skipped }).toEqual({
      compared: 2,
      skipped: ["GET /v1/projects/…", "POST /v1/projects"],
    });
    expect(differences?.filter(({ kind }) => kind !== "shape")).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ["nothing", { data: [], pagination: { hasMore: false, nextCursor: "a" } }, []],
    ["a field below null", { data: null, pagination: null }, []],
    [
      "a list that is not empty",
      { data: [{ id: "p_1" }], pagination: { hasMore: false, nextCursor: null } },
      [],
    ],
    [
      "a type",
      { data: {}, pagination: { hasMore: "no", nextCursor: null } },
      ["/data: object", "/pagination/hasMore: string"],
    ],
    ["a field", { data: [], pagination: { hasMore: false, nextCursor: null }, more: 1 }, ["/more: number"]],
  ])("is different in %s", async (_, response, places) => {
    const report = await setupMock().replay(recordingOf([], [get("/v1/projects", response)]));
    expect(report.flatMap(({ differences }) => differences.map(({ recorded }) => recorded))).toEqual(places);
  });
});
