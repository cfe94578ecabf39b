import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
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
