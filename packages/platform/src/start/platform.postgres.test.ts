import { lstat, stat, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Platform, PlatformError, startPlatform } from "@mgmt/platform";
import { call, control, makeProject, query, finalStatus } from "../../test/api.js";
import { postmasterPid, signal } from "../../test/processes.js";

let platform: Platform;
const ready = (): Platform["ready"] => platform.ready;

beforeAll(async () => {
  platform = await startPlatform({ port: 0, ephemeral: true });
});
afterAll(() => platform.stop());

const postmasterOf = ({ ready: { controlSecretFile } }: Platform): Promise<number> =>
  postmasterPid(join(dirname(controlSecretFile), "postgres"));

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
  it("is provisioning when it is created, and accepts connections from then on", async () => {
    const project = await call(ready(), "POST", "/v1/projects", { name: "shop" });
    expect(project.database.status).toBe("provisioning");
    // The connection waits.
    expect(await query(project.database.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(await finalStatus(ready(), project.database.id)).toBe("ready");
    expect(project.database.connectionString).toMatch(/\?sslmode=disable$/);
  });

  it("is reached under its current name too, at every endpoint", async () => {
    const { database } = await makeProject(ready());
    const url = (name: string, connectionString: string): string => {
      const composed = new URL(connectionString);
      composed.pathname = `/${encodeURIComponent(name)}`;
      return composed.href;
    };
    const current = "select current_database() as name";
    for (const name of ["Shop für alle", "orders"]) {
      const renamed = await call(ready(), "PATCH", `/v1/databases/${database.id}`, { name });
      for (const { endpoints } of renamed.connections)
        for (const { host, port } of Object.values(endpoints)) {
          const at = new URL(database.connectionString);
          Object.assign(at, { hostname: host, port: String(port) });
          expect(await query(url(name, at.href), current)).toEqual([{ name: database.id }]);
        }
    }
    const former = query(url("Shop für alle", database.connectionString), current);
    await expect(former).rejects.toMatchObject({ code: "3D000" });
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

describe("credentials composed from the parts of a response", () => {
  it("open the project's own database as postgres", async () => {
    const project = await makeProject(ready());
    await makeProject(ready());
    const { host, user, pass } = project.database.directConnection;
    const databaseName = new URL(project.database.connectionString).pathname.slice(1);
    const url = `postgresql://${user}:${pass}@${host}/postgres`;
    const verified = `sslmode=verify-full&sslrootcert=${ready().caFile}`;
    for (const parameters of ["sslmode=disable", "sslmode=no-verify", verified]) {
      const rows = await query(`${url}?${parameters}`, "select current_database() as name");
      expect(rows).toEqual([{ name: databaseName }]);
    }
  });

  it("work with psql, which verifies the certificate", async () => {
    const { database } = await makeProject(ready());
    const { host, user, pass } = database.directConnection;
    const psql = (parameters: string): Promise<{ stdout: string }> =>
      promisify(execFile)("psql", [
        "--no-psqlrc",
        "--tuples-only",
        "--no-align",
        "--command=select current_database()",
        `postgresql://${user}:${pass}@${host}/postgres?${parameters}`,
      ]);
    const own = { stdout: `${new URL(database.connectionString).pathname.slice(1)}\n` };
    expect(await psql("sslmode=require")).toMatchObject(own);
    expect(await psql(`sslmode=verify-full&sslrootcert=${ready().caFile}`)).toMatchObject(own);
    await expect(psql("sslmode=verify-full&sslrootcert=/dev/null")).rejects.toThrow("sslrootcert");
    await expect(psql("sslmode=require&channel_binding=require")).rejects.toThrow("channel binding");
  });

  it("do not include the port of Postgres itself, which is reachable too", async () => {
    const { database } = await makeProject(ready());
    const direct = new URL(database.connectionString);
    expect(direct.port).not.toBe(String(ready().postgresPort));
    direct.port = String(ready().postgresPort);
    expect(await query(String(direct), "select 1 as one")).toEqual([{ one: 1 }]);
    direct.pathname = "/postgres";
    await expect(query(String(direct), "select 1")).rejects.toMatchObject({ code: "42501" });
  });
});

describe("the control surface of the connections", () => {
  it("installs, lists and removes faults by database", async () => {
    const { database } = await makeProject(ready());
    const fault = await control(ready(), "POST", "/connection-faults", {
      database: database.id,
      effect: "refuse",
      message: "under maintenance",
    });
    expect(await control(ready(), "GET", "/connection-faults")).toMatchObject([{ id: fault.id, struck: 0 }]);
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({
      code: "57P03",
      message: "under maintenance",
    });
    await control(ready(), "DELETE", `/connection-faults/${fault.id}`);
    await query(database.connectionString, "select 1");
  });

  it("limits the connections per database until a reset", async () => {
    const { database } = await makeProject(ready());
    await control(ready(), "PUT", "/connection-limit", { connections: 0 });
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({ code: "53300" });
    await control(ready(), "PUT", "/connection-limit", {});
    await query(database.connectionString, "select 1");
  });

  it.each([
    ["POST", "/connection-faults", { effect: "explode" }, /400 .*effect must be one of/],
    ["POST", "/connection-faults", { effect: "drop", database: "db_unknown" }, /404 .*does not exist/],
    ["DELETE", "/connection-faults/connection-fault-99", undefined, /404 .*does not exist/],
    ["PUT", "/connection-limit", { connections: -1 }, /400 .*whole number/],
  ])("refuses %s %s with invalid values", async (method, path, body, message) => {
    await expect(control(ready(), method, path, body)).rejects.toThrow(message);
  });
});

const backupStatuses = async (databaseId: string): Promise<string[]> => {
  const response = await fetch(`${ready().baseUrl}/v1/databases/${databaseId}/backups`, {
    headers: { authorization: `Bearer ${ready().token}` },
  });
  const { data }: { data: { status: string }[] } = await response.json();
  return data.map(({ status }) => status);
};

describe("a snapshot that is loaded", () => {
  it("restores databases and connection strings, but not the data of deleted databases", async () => {
    const [deleted, rotated, kept] = [
      await makeProject(ready()),
      await makeProject(ready()),
      await makeProject(ready()),
    ];
    for (const { database } of [deleted, rotated, kept])
      await query(database.connectionString, "create table notes ()");
    for (const { database } of [deleted, kept])
      await control(ready(), "POST", `/databases/${database.id}/backups`);
    const snapshot = await control(ready(), "GET", "/snapshot");

    await call(ready(), "DELETE", `/v1/projects/${deleted.id}`);
    const [connection] = rotated.database.connections;
    await call(ready(), "POST", `/v1/connections/${connection?.id ?? ""}/rotate`);
    const added = await call(ready(), "POST", `/v1/databases/${kept.database.id}/connections`, { name: "n" });
    await query(added.connectionString, "select from notes");
    await expect(query(rotated.database.connectionString, "select")).rejects.toMatchObject(wrongPassword);
    await control(ready(), "PUT", "/snapshot", snapshot);

    const missingTable = { code: "42P01" };
    await expect(query(deleted.database.connectionString, "select from notes")).rejects.toMatchObject(
      missingTable,
    );
    await query(rotated.database.connectionString, "select from notes");
    await query(kept.database.connectionString, "select from notes");
    await expect(query(added.connectionString, "select")).rejects.toMatchObject(wrongPassword);
    expect(await backupStatuses(deleted.database.id)).toEqual(["failed"]);
    expect(await backupStatuses(kept.database.id)).toEqual(["completed"]);
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

  it("reports an error when Postgres ends on its own and cannot be restarted", async () => {
    const second = await startPlatform({ port: 0, ephemeral: true });
    const directory = dirname(second.ready.controlSecretFile);
    await writeFile(`${directory}/postgres/PG_VERSION`, "1");
    signal(await postmasterOf(second), "SIGKILL");
    expect(await second.closed).toMatchObject({
      code: "platform:postgres_failed",
      message: expect.stringContaining("could not be restarted"),
    });
    await expect(stat(directory)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(fetch(second.ready.baseUrl)).rejects.toThrow();
  });
});

describe("Postgres that ends on its own", () => {
  it("is restarted: the connection strings, the data and new databases work afterwards", async () => {
    const messages: string[] = [];
    const second = await startPlatform({
      port: 0,
      ephemeral: true,
      onLog: (message) => messages.push(message),
    });
    const { database } = await makeProject(second.ready);
    await query(database.connectionString, "create table notes as select 'kept' as text");
    const former = await postmasterOf(second);
    signal(former, "SIGKILL");
    await vi.waitFor(() => expect(messages).toEqual([expect.stringContaining("is being restarted")]));
    expect(await query(database.connectionString, "select text from notes")).toEqual([{ text: "kept" }]);
    expect(await postmasterOf(second)).not.toBe(former);
    const next = await makeProject(second.ready);
    expect(await query(next.database.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
    await second.stop();
    expect(await second.closed).toBeUndefined();
  });

  it("is not restarted forever", async () => {
    const second = await startPlatform({ port: 0, ephemeral: true });
    let killed = 0;
    let last = 0;
    const killing = setInterval(() => {
      void postmasterOf(second).then(
        (pid) => {
          if (pid === last) return;
          last = pid;
          if (signal(pid, "SIGKILL")) killed += 1;
        },
        () => undefined,
      );
    }, 20);
    const failure = await second.closed;
    clearInterval(killing);
    expect(failure).toMatchObject({
      code: "platform:postgres_failed",
      hint: expect.stringContaining("again"),
    });
    expect(killed).toBeGreaterThanOrEqual(3);
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
