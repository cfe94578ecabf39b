import { lstat, readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, PlatformError, startPlatform } from "../src/index.js";
import { call, control, makeProject, query, finalStatus } from "./api.js";

let platform: Platform;
const ready = (): Platform["ready"] => platform.ready;

beforeAll(async () => {
  platform = await startPlatform({ port: 0, ephemeral: true });
});
afterAll(() => platform.stop());

const wrongPassword = { code: "28P01" };

describe("the ready line", () => {
  it("contains URLs without a trailing slash and without /v1, and the process id", () => {
    const { baseUrl, authUrl, controlUrl, pid } = ready();
    for (const url of [baseUrl, authUrl, controlUrl])
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+(\/_control)?$/);
    expect(pid).toBe(process.pid);
  });

  it("contains a service token of its workspace, whose hint is its last four characters", async () => {
    const { baseUrl, token, workspaceId } = ready();
    const headers = { authorization: `Bearer ${token}` };
    const me = await (await fetch(`${baseUrl}/v1/me`, { headers })).json();
    expect(me.data).toMatchObject({ workspace: { id: workspaceId }, credential: { type: "service_token" } });
    const tokens = await (
      await fetch(`${baseUrl}/v1/workspaces/${workspaceId}/service-tokens`, { headers })
    ).json();
    expect(tokens.data[0].valueHint).toBe(token.slice(-4));
  });

  it("names a private file with the secret of the control surface", async () => {
    const { controlSecretFile, controlUrl } = ready();
    expect((await lstat(controlSecretFile)).mode & 0o777).toBe(0o600);
    expect(await control(ready(), "GET", "/clock")).toHaveProperty("now");
    const refused = await fetch(`${controlUrl}/clock`, { headers: { "x-mgmt-control-secret": "guessed" } });
    expect(refused.status).toBe(403);
  });
});

describe("a database of the API", () => {
  it("is provisioning when it is created, and accepts connections as soon as it is ready", async () => {
    const project = await call(ready(), "POST", "/v1/projects", { name: "shop" });
    expect(project.database.status).toBe("provisioning");
    expect(await finalStatus(ready(), project.database.id)).toBe("ready");
    expect(await query(project.database.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(project.database.connectionString).toMatch(/\?sslmode=disable$/);
  });

  it("has a second connection, which ends on rotation and on deletion", async () => {
    const { database } = await makeProject(ready());
    await query(database.connectionString, "create table notes as select 'first' as text");
    const path = `/v1/databases/${database.id}/connections`;
    const second = await call(ready(), "POST", path, { name: "second" });
    expect(await query(second.connectionString, "select text from notes")).toEqual([{ text: "first" }]);

    const rotated = await call(ready(), "POST", `/v1/connections/${second.id}/rotate`);
    await expect(query(second.connectionString, "select 1")).rejects.toMatchObject(wrongPassword);
    await query(rotated.connectionString, "insert into notes values ('rotated')");

    await call(ready(), "DELETE", `/v1/connections/${second.id}`);
    await expect(query(rotated.connectionString, "select 1")).rejects.toMatchObject(wrongPassword);
    await query(database.connectionString, "select 1");
  });

  it("is dropped with its project, and so are its sessions", async () => {
    const project = await makeProject(ready());
    const session = new Client({ connectionString: project.database.connectionString });
    session.on("error", () => undefined);
    await session.connect();
    await call(ready(), "DELETE", `/v1/projects/${project.id}`);
    await expect(session.query("select 1")).rejects.toThrow();
    await expect(query(project.database.connectionString, "select 1")).rejects.toMatchObject(wrongPassword);
  });

  it("restores from a backup in place, and is copied from a backup and from a database", async () => {
    const { id: projectId, database } = await makeProject(ready());
    await query(database.connectionString, "create table notes as select 'kept' as text");
    const backup = await control(ready(), "POST", `/databases/${database.id}/backups`);
    expect(backup).toMatchObject({ status: "completed" });
    expect(backup.size).toBeGreaterThan(1_000_000);
    await query(database.connectionString, "update notes set text = 'later'");

    const sources = [
      [{ source: { type: "backup", databaseId: database.id, backupId: backup.id } }, "kept"],
      [{ fromDatabase: { id: database.id } }, "later"],
    ] as const;
    for (const [body, text] of sources) {
      const copy = await call(ready(), "POST", `/v1/projects/${projectId}/databases`, body);
      expect(await finalStatus(ready(), copy.id)).toBe("ready");
      expect(await query(copy.connectionString, "select text from notes")).toEqual([{ text }]);
    }
    const source = { type: "backup", databaseId: database.id, backupId: backup.id };
    const recovering = await call(ready(), "POST", `/v1/databases/${database.id}/restore`, { source });
    expect(recovering.status).toBe("recovering");
    expect(await finalStatus(ready(), database.id)).toBe("ready");
    expect(await query(database.connectionString, "select text from notes")).toEqual([{ text: "kept" }]);
  });

  it("is deleted while it is being created", async () => {
    const { id: projectId, database } = await makeProject(ready());
    const body = { source: { type: "database", databaseId: database.id } };
    const copy = await call(ready(), "POST", `/v1/projects/${projectId}/databases`, body);
    await call(ready(), "DELETE", `/v1/databases/${copy.id}`);
    await expect(query(copy.connectionString, "select 1")).rejects.toMatchObject(wrongPassword);
    await expect(call(ready(), "GET", `/v1/databases/${copy.id}`)).rejects.toThrow("404");
  });

  it("reports real usage", async () => {
    const { database } = await makeProject(ready());
    const response = await fetch(`${ready().baseUrl}/v1/databases/${database.id}/usage`, {
      headers: { authorization: `Bearer ${ready().token}` },
    });
    expect((await response.json()).metrics.storage.used).toBeGreaterThan(0.001);
  });
});

describe("the end of an ephemeral platform", () => {
  it("leaves nothing behind, and accepts two calls of stop", async () => {
    const second = await startPlatform({ port: 0, ephemeral: true });
    const { database } = await makeProject(second.ready);
    await Promise.all([second.stop(), second.stop()]);
    expect(await second.closed).toBeUndefined();
    await expect(stat(dirname(second.ready.controlSecretFile))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(fetch(second.ready.baseUrl)).rejects.toThrow();
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
  });

  it("reports an error when Postgres ends on its own", async () => {
    const second = await startPlatform({ port: 0, ephemeral: true });
    const directory = dirname(second.ready.controlSecretFile);
    const pid = Number((await readFile(`${directory}/postgres/postmaster.pid`, "utf8")).split("\n")[0]);
    process.kill(pid, "SIGKILL");
    expect(await second.closed).toMatchObject({ code: "platform:postgres_failed" });
    await expect(stat(directory)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(fetch(second.ready.baseUrl)).rejects.toThrow();
  });
});

describe("a port in use", () => {
  it("is reported with a hint before anything is started", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const failed = startPlatform({ port, ephemeral: true });
    await expect(failed).rejects.toBeInstanceOf(PlatformError);
    await expect(failed).rejects.toMatchObject({
      code: "platform:port_taken",
      hint: expect.stringContaining("--port"),
    });
    await new Promise((resolve) => other.close(resolve));
  });
});

describe("an address of another machine", () => {
  it("is reported with the reason of the system", async () => {
    const failed = startPlatform({ port: 0, host: "203.0.113.1", ephemeral: true });
    await expect(failed).rejects.toBeInstanceOf(PlatformError);
    await expect(failed).rejects.toMatchObject({ code: "platform:cannot_listen" });
  });
});
