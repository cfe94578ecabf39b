import { chown, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { loadServerCredentials } from "../machine/tls/server-credentials.js";
import { TestService } from "../../test/service.js";
import { runAsOperator } from "./operator.js";
import type { RunningService } from "./start-serve.js";

const service = new TestService();

const createProject = async (server: RunningService): Promise<{ id: string; database: { id: string } }> => {
  const body = { name: "shop", region: "eu-central-1" };
  const { status, json } = await service.call(server, "POST", "/v1/projects", { body });
  expect(status).toBe(201);
  return json["data"] as { id: string; database: { id: string } };
};

/** Returns the connection string of a new connection, when the database is ready. */
const createConnection = async (server: RunningService, databaseId: string): Promise<string> => {
  await vi.waitFor(async () => {
    const { json } = await service.call(server, "GET", `/v1/databases/${databaseId}`);
    expect(json).toMatchObject({ data: { status: "ready" } });
  }, 10_000);
  const path = `/v1/databases/${databaseId}/connections`;
  const { json } = await service.call(server, "POST", path, { body: { name: "app" } });
  const { connectionString } = json["data"] as { connectionString: string };
  return connectionString;
};

const queryOne = async (connectionString: string): Promise<unknown> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<{ one: number }>("select 1 as one")).rows[0]?.one;
  } finally {
    await client.end();
  }
};

/** Lets Postgres accept TLS. */
const enableTls = async (): Promise<void> => {
  const { directory } = service.cluster.options;
  const { uid, gid } = await stat(directory);
  const { key, cert } = await loadServerCredentials(join(service.cluster.directory, "tls"), {
    isDurable: false,
  });
  for (const [name, pem] of [["server.key", key] as const, ["server.crt", cert] as const]) {
    await writeFile(join(directory, name), pem, { mode: 0o600 });
    await chown(join(directory, name), uid, gid);
  }
  const admin = await service.connect("postgres", "postgres");
  await admin.query("alter system set ssl = on");
  await admin.query("select pg_reload_conf()");
  await admin.end();
};

describe("a connection string of a service", () => {
  beforeAll(enableTls);

  it.each([
    ["no sslmode", "?sslmode=disable", {}, "disable"],
    ["TLS of its own", "?sslmode=require", {}, "require"],
    ["a setting", "?sslmode=require", { databaseSslMode: "verify-full" as const }, "verify-full"],
    ["a setting without TLS of its own", "", { databaseSslMode: "require" as const }, "require"],
  ])("has the sslmode of %s", async (_case, parameters, settings, expected) => {
    const databaseUrl = service.buildUrl("service") + parameters;
    const server = await service.start({ databaseUrl, ...settings });
    const { database } = await createProject(server);
    const connectionString = await createConnection(server, database.id);
    expect(new URL(connectionString).search).toBe(`?sslmode=${expected}`);
    const client = new Client({
      connectionString: connectionString.replace(/\?.*/, ""),
      ssl: expected === "disable" ? false : { rejectUnauthorized: false },
    });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const admin = await service.connect("postgres", "postgres");
    const { rows: sessions } = await admin.query("select ssl from pg_stat_ssl where pid = $1", [
      rows[0]?.pid,
    ]);
    await Promise.all([client.end(), admin.end()]);
    expect(sessions).toEqual([{ ssl: expected !== "disable" }]);
  });
});

describe("a server of a service", () => {
  it("creates databases that another server knows at once", async () => {
    const [first, second] = [await service.start(), await service.start()];
    const project = await createProject(first);
    expect(await service.call(second, "GET", `/v1/projects/${project.id}`)).toMatchObject({ status: 200 });
    expect(await queryOne(await createConnection(second, project.database.id))).toBe(1);
    expect(await service.call(first, "DELETE", `/v1/projects/${project.id}`)).toMatchObject({ status: 204 });
    expect(await service.call(second, "GET", `/v1/projects/${project.id}`)).toMatchObject({ status: 404 });
  });

  const missingPaths = [
    "/_control/reset",
    "/_control/clock",
    "/_control/faults",
    "/authorize",
    "/token",
    "/revoke",
    "/.well-known/oauth-authorization-server",
    "/.well-known/jwks.json",
    "/metrics",
  ];

  it("has no path of a development server", async () => {
    const server = await service.start();
    const calls = missingPaths.flatMap((path) => [`GET ${path}`, `POST ${path}`]);
    const statuses = calls.map(async (call) => {
      const [method = "", path = ""] = call.split(" ");
      return [call, (await service.call(server, method, path)).status];
    });
    expect(await Promise.all(statuses)).toEqual(calls.map((call) => [call, 404]));
  });

  it("has health pages, and metrics at an address of their own", async () => {
    const server = await service.start({ adminListen: "127.0.0.1:0" });
    await service.call(server, "GET", "/v1/projects");
    const read = async (path: string): Promise<[number, string]> => {
      const response = await fetch(server.adminAddress + path, { headers: { connection: "close" } });
      return [response.status, await response.text()];
    };
    expect(await read("/healthz")).toEqual([200, "ok\n"]);
    expect(await read("/readyz")).toEqual([200, "ready\n"]);
    const [, metrics] = await read("/metrics");
    expect(metrics).toContain('mgmt_requests_total{operation="projects.list",status="200"} 1');
    for (const metric of ["mgmt_records_up 1", 'mgmt_jobs{state="dead"} 0', "mgmt_guard_closed_databases 0"])
      expect(metrics).toContain(metric);
    expect(metrics).toMatch(/^mgmt_records_trips [1-9]/m);
    expect(await read("/v1/projects")).toEqual([404, ""]);
    expect(await service.call(server, "GET", "/healthz")).toMatchObject({ status: 404 });
  });

  it("has five connections to Postgres while nobody calls it", async () => {
    await service.start();
    const observer = await service.connect("postgres", "postgres");
    const namesOf = `select regexp_replace(application_name, ' [0-9a-f]{16}$', '') as name
      from pg_stat_activity where usename = 'service' order by 1`;
    // Those for the first prepared databases have been closed, and the first heartbeat was sent.
    await vi.waitFor(async () => {
      const { rows } = await observer.query<{ name: string }>(namesOf);
      const names = rows.map(({ name }) => name);
      expect(names).toEqual(["mgmt", "mgmt", "mgmt lease", "mgmt records", "mgmt records"]);
    }, 30_000);
    await observer.end();
  });

  it("logs each request without its secrets", async () => {
    const server = await service.start({ trustProxy: true });
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await service.call(server, "GET", "/v1/projects?limit=1", {
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, "x-forwarded-for": "10.0.0.1, 192.0.2.7" },
    });
    expect(service.log).toContainEqual(
      expect.objectContaining({
        msg: "request",
        operation: "projects.list",
        workspace: service.initialized.workspace.id,
        status: 200,
        traceId,
        clientAddress: "192.0.2.7",
      }),
    );
    expect(JSON.stringify(service.log)).not.toContain(service.initialized.token.value);
  });

  it("accepts tokens that an operator issues, and no others", async () => {
    const server = await service.start();
    const issued = await runAsOperator(service.settings, async (operator) => {
      const workspace = await operator.createWorkspace("Compilers", "grace@example.com");
      const token = await operator.createToken(workspace.id, "ci");
      const agent = await operator.createAgentToken({
        agentId: "builder",
        sponsor: "grace@example.com",
        expiresAt: Date.now() + 60_000,
      });
      return { workspace, token, agent };
    });
    const { value, id } = issued.token;
    expect(await service.call(server, "GET", "/v1/projects", { token: value })).toMatchObject({
      status: 200,
    });
    const project = await service.call(server, "POST", "/v1/projects", {
      token: issued.agent.token,
      body: { name: "shop", region: "eu-central-1" },
    });
    const { id: projectId } = project.json["data"] as { id: string };
    const refused = await service.call(server, "DELETE", `/v1/projects/${projectId}`, {
      token: issued.agent.token,
    });
    expect(refused.status).toBe(403);
    const [approval] = await runAsOperator(service.settings, (operator) => operator.listApprovals());
    const page = await service.call(server, "GET", `/approvals/${String(approval?.id)}`);
    expect(page.text).toContain(`mgmt serve approvals approve ${String(approval?.id)}`);
    expect(await service.call(server, "GET", "/approvals/apr_000000000000000000000000")).toMatchObject({
      status: 404,
    });
    await runAsOperator(service.settings, (operator) => operator.approve(String(approval?.id)));
    expect(
      await service.call(server, "DELETE", `/v1/projects/${projectId}`, { token: issued.agent.token }),
    ).toMatchObject({ status: 204 });
    await runAsOperator(service.settings, (operator) => operator.deleteToken(issued.workspace.id, id));
    expect(await service.call(server, "GET", "/v1/projects", { token: value })).toMatchObject({
      status: 401,
    });
    expect(await service.call(server, "GET", "/v1/projects", { token: "x" })).toMatchObject({ status: 401 });
  });

  it("repairs logins while it answers requests", async () => {
    const first = await service.start();
    const { database } = await createProject(first);
    const connectionString = await createConnection(first, database.id);
    await service.stopAll();
    const admin = await service.connect("postgres", "postgres");
    const { username } = new URL(connectionString);
    await admin.query(`alter role "${username}" password 'lost'`);
    await admin.query(`alter database "${database.id}" allow_connections false`);
    await admin.end();
    const second = await service.start();
    expect(await service.call(second, "GET", `/v1/databases/${database.id}`)).toMatchObject({ status: 200 });
    await vi.waitFor(async () => expect(await queryOne(connectionString)).toBe(1), 10_000);
  });

  it.each([
    ["limits.requests", { limits: { requests: 5 } }],
    ["baseUrl", { baseUrl: "https://other.example.com" }],
    ["databaseSslMode", { databaseSslMode: "require" as const }],
  ])("refuses to start with another value of %s than a server that runs", async (name, settings) => {
    await service.start();
    await expect(service.start(settings)).rejects.toMatchObject({
      code: "serve:settings_differ",
      message: expect.stringMatching(`: ${name}$`),
      hint: expect.stringContaining(`Give ${name} the values`),
    });
    await service.stopAll();
    await service.start(settings);
  });

  it("starts beside a server whose settings are the same because of a default", async () => {
    await service.start();
    await service.start({ limits: { requests: 600, windowSeconds: 60 }, unknownFields: "ignore" });
  });

  it("starts again when others have taken its work", async () => {
    const server = await service.start();
    const admin = await service.connect("service");
    const { rows } = await admin.query("update mgmt.servers set fenced_at = now() returning id");
    await vi.waitFor(async () => {
      expect((await admin.query("select id from mgmt.servers where fenced_at is null")).rows).toHaveLength(1);
      expect((await admin.query("select id from mgmt.servers")).rows).not.toContainEqual(rows[0]);
    }, 30_000);
    await admin.end();
    // The server registers again before it answers.
    await vi.waitFor(async () =>
      expect(await service.call(server, "GET", "/v1/projects")).toMatchObject({ status: 200 }),
    );
    expect(service.log).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining("starts again") }),
    );
  });

  it("finishes requests in progress when it stops", async () => {
    const server = await service.start({ drainSeconds: 5 });
    const responses = Promise.all(
      Array.from({ length: 20 }, () =>
        service.call(server, "POST", "/v1/projects", { body: { name: "shop", createDatabase: false } }),
      ),
    );
    await vi.waitFor(() =>
      expect(service.log.filter(({ msg }) => msg === "request").length).toBeGreaterThan(0),
    );
    await server.stop();
    expect((await responses).map(({ status }) => status)).toEqual(Array(20).fill(201));
  });
});
