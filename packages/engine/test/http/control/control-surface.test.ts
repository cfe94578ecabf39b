import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningServer, controlSecretHeader, createServer } from "@mgmt/mock/server";

const secret = "correct horse battery staple";

describe("the control surface over HTTP", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer({
      engineOptions: { deterministic: "control", validateResponses: true },
      controlSecret: secret,
    });
  });
  beforeEach(() => server.engine.reset());
  afterAll(() => server.close());

  interface Answered<T> {
    status: number;
    body: T;
  }
  const control = async <T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { [controlSecretHeader]: secret },
  ): Promise<Answered<T>> => {
    const response = await fetch(`${server.baseUrl}/_control${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // Each test declares what it expects of the response.
    return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as T };
  };
  const api = async (method: string, path: string, token: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(server.baseUrl + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return response.status;
  };

  /** What a refusal says: what happened, and what to do. */
  const refusal = {
    error: expect.objectContaining({ message: expect.any(String), hint: expect.any(String) }),
  };

  describe("access control", () => {
    it.each<[string, Record<string, string>]>([
      ["no secret", {}],
      ["another secret", { [controlSecretHeader]: "guess" }],
      ["an empty secret", { [controlSecretHeader]: "" }],
      ["a longer secret", { [controlSecretHeader]: `${secret}!` }],
      ["an API token", { authorization: `Bearer ${secret}` }],
      ["another origin", { [controlSecretHeader]: secret, origin: "https://evil.example.com" }],
      ["a sandboxed page", { [controlSecretHeader]: secret, origin: "null" }],
    ])("refuses %s", async (_name, headers) => {
      const refused = await control("POST", "/seed/project", {}, headers);
      expect(refused).toEqual({ status: 403, body: refusal });
      expect(server.engine.rows.projects.size).toBe(0);
    });

    it("refuses the secret in the query", async () => {
      const { status } = await control(
        "POST",
        `/reset?${controlSecretHeader}=${encodeURIComponent(secret)}`,
        {},
        {},
      );
      expect(status).toBe(403);
    });

    it("refuses all requests if no secret is set", async () => {
      const closed = await createServer();
      const response = await fetch(`${closed.baseUrl}/_control/clock`, {
        headers: { [controlSecretHeader]: secret },
      });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual(refusal);
      await closed.close();
    });
  });

  it("allows no origin to read its responses", async () => {
    const response = await fetch(`${server.baseUrl}/_control/clock`, {
      headers: { [controlSecretHeader]: secret, origin: server.baseUrl },
    });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });

  it("reads and moves the clock", async () => {
    expect((await control("GET", "/clock")).body).toEqual({ now: "2026-01-01T00:00:00.000Z", frozen: true });
    expect((await control("POST", "/clock/advance", { milliseconds: 60_000 })).body["now"]).toBe(
      "2026-01-01T00:01:00.000Z",
    );
    expect((await control("POST", "/clock/set", { time: "2027-01-01T00:00:00Z" })).body["now"]).toBe(
      "2027-01-01T00:00:00.000Z",
    );
    expect((await control("POST", "/clock/run")).body["frozen"]).toBe(false);
    expect((await control("POST", "/clock/freeze")).body["frozen"]).toBe(true);
  });

  it("creates one of everything, issues tokens, and sets states", async () => {
    const seed = async (kind: string, body: object) =>
      (await control<{ id: string }>("POST", `/seed/${kind}`, body)).body;
    const project = await seed("project", { name: "shop" });
    const database = await seed("database", { projectId: project.id });
    await seed("connection", { databaseId: database.id });
    const backup = await seed("backup", { databaseId: database.id });
    const branch = await seed("branch", { projectId: project.id, gitName: "feature" });
    const app = await seed("app", { projectId: project.id, branchId: branch.id });
    const deployment = await seed("deployment", { appId: app.id, status: "running" });
    await seed("service-token", {});
    const user = await seed("user", { email: "new@example.com", name: "New" });
    const workspace = await seed("workspace", { name: "Third", ownerId: user.id });
    await seed("integration", { workspaceId: workspace.id, clientName: "CI", scopes: ["workspace:admin"] });
    await seed("project", { workspaceId: workspace.id });
    expect(server.engine.rows.integrations.find({})?.workspaceId).toBe(workspace.id);

    const { rows } = server.engine;
    await control("PUT", `/databases/${database.id}/status`, { status: "failure" });
    await control("PUT", `/deployments/${deployment.id}/status`, { status: "failed" });
    await control("PUT", `/backups/${backup.id}/status`, { status: "failed" });
    await control("POST", `/apps/${app.id}/domains`, { name: "shop.example.com" });
    expect([
      rows.databases.get(database.id)?.status,
      rows.deployments.get(deployment.id)?.status,
      rows.backups.get(backup.id)?.status,
      rows.apps.get(app.id)?.domains.map(({ name }) => name),
    ]).toEqual(["failure", "failed", "failed", ["shop.example.com"]]);
    expect((await control("POST", `/apps/${app.id}/domains`, { name: "shop.example.com" })).status).toBe(409);
    expect((await control("POST", `/databases/${database.id}/backups`, { backupType: "full" })).status).toBe(
      409,
    );
    await control("PUT", `/databases/${database.id}/status`, { status: "ready" });
    expect(
      (await control("POST", `/databases/${database.id}/backups`, { backupType: "incremental" })).body,
    ).toMatchObject({ status: "completed", backupType: "incremental" });
  });

  it.each(["user", "other-user", "service", "agent", "expired", "without-scope"])(
    "returns a token: %s",
    async (kind) => {
      const { body } = await control<{ token: string }>("POST", "/tokens", { kind });
      const expected = { expired: 401, "without-scope": 403 }[kind] ?? 200;
      expect(await api("GET", "/v1/me", body.token)).toBe(expected);
    },
  );

  it("returns tokens for the requested principals", async () => {
    const { engine } = server;
    const { integration } = await engine.seed.integration();
    const { body } = await control<{ token: string }>("POST", "/tokens", {
      kind: "user",
      userId: engine.defaults.user.id,
      workspaceId: engine.defaults.workspace.id,
      integrationId: integration.id,
      expiresAt: "2026-01-01T00:00:10Z",
    });
    expect(await api("GET", "/v1/me", body.token)).toBe(200);
    await engine.clock.advance(10_000);
    expect(await api("GET", "/v1/me", body.token)).toBe(401);
  });

  it("creates tenants, whose credentials reach only their own workspace", async () => {
    interface Tenant {
      workspace: { id: string; name: string };
      token: string;
      serviceToken: string;
    }
    const [one, two] = [
      (await control<Tenant>("POST", "/tenants", { name: "one" })).body,
      (await control<Tenant>("POST", "/tenants")).body,
    ];
    expect(one.workspace.name).toBe("one");
    expect(two.workspace.id).not.toBe(one.workspace.id);
    const { body: project } = await control<{ id: string }>("POST", "/seed/project", {
      workspaceId: one.workspace.id,
    });
    for (const token of [one.token, one.serviceToken]) {
      expect(await api("GET", `/v1/projects/${project.id}`, token)).toBe(200);
    }
    for (const token of [two.token, two.serviceToken, await server.engine.tokens.user()]) {
      expect(await api("GET", `/v1/projects/${project.id}`, token)).toBe(404);
    }
    expect((await control("POST", "/tenants", { name: 5 })).status).toBe(400);
  });

  it("decides approvals", async () => {
    const { engine } = server;
    const agent = await engine.tokens.agent();
    const ask = async () => {
      const { id } = await engine.seed.project();
      expect(await api("DELETE", `/v1/projects/${id}`, agent)).toBe(403);
      const { body } = await control<{ id: string }[]>("GET", "/approvals");
      return { id, approvalId: body.at(-1)?.id ?? "" };
    };
    const one = await ask();
    expect((await control("POST", `/approvals/${one.approvalId}/approve`)).body["status"]).toBe("approved");
    expect(await api("DELETE", `/v1/projects/${one.id}`, agent)).toBe(204);
    const two = await ask();
    expect((await control("POST", `/approvals/${two.approvalId}/deny`)).body["status"]).toBe("denied");
    const three = await ask();
    const window = await control("POST", `/approvals/${three.approvalId}/approve-window`, {
      milliseconds: 1_000,
    });
    expect(window.body).toMatchObject({
      status: "approved_window",
      windowExpiresAt: "2026-01-01T00:00:01.000Z",
    });
    expect((await control("POST", `/approvals/${three.approvalId}/approve`)).status).toBe(409);
    expect((await control("POST", "/approvals/apr_none/approve")).status).toBe(404);
  });

  it("installs, lists and removes faults", async () => {
    const token = await server.engine.tokens.user();
    const { body } = await control<{ id: string }>("POST", "/faults", { operation: "me.get", status: 503 });
    expect(await api("GET", "/v1/me", token)).toBe(503);
    expect((await control<object[]>("GET", "/faults")).body).toHaveLength(1);
    expect((await control("DELETE", `/faults/${body.id}`)).status).toBe(204);
    expect((await control("DELETE", `/faults/${body.id}`)).status).toBe(404);
    expect(await api("GET", "/v1/me", token)).toBe(200);
    await control("POST", "/faults", { status: 500 });
    await control("DELETE", "/faults");
    expect(await api("GET", "/v1/me", token)).toBe(200);
  });

  it("sets and lifts the rate limit", async () => {
    const token = await server.engine.tokens.user();
    await control("PUT", "/rate-limit", { requests: 0 });
    expect(await api("GET", "/v1/apps", token)).toBe(429);
    expect((await control("PUT", "/rate-limit", {})).body).toEqual({ operations: [] });
    expect(await api("GET", "/v1/apps", token)).toBe(200);
    const named = { requests: 0, operations: ["projects.list"] };
    expect((await control("PUT", "/rate-limit", named)).body).toEqual({ operations: ["projects.list"] });
    expect(await api("GET", "/v1/projects", token)).toBe(429);
    expect((await control("PUT", "/rate-limit", { requests: 1, operations: ["nothing"] })).status).toBe(400);
  });

  it("returns and loads snapshots, and resets", async () => {
    await control("POST", "/seed/project", {});
    const { body } = await control<object>("GET", "/snapshot");
    await control("POST", "/reset");
    expect(server.engine.rows.projects.size).toBe(0);
    expect((await control("PUT", "/snapshot", body)).status).toBe(204);
    expect(server.engine.rows.projects.size).toBe(1);
  });

  it("lists the requests, without the control surface's own", async () => {
    const token = await server.engine.tokens.service();
    await api("GET", "/v1/projects?limit=7", token);
    const { body } = await control<object[]>("GET", "/requests");
    expect(body).toMatchObject([
      { method: "GET", path: "/v1/projects", operationId: "projects.list", query: { limit: 7 }, status: 200 },
    ]);
    expect(JSON.stringify(body)).not.toContain(token);
  });

  it("streams the requests as server-sent events, and allows the server to close meanwhile", async () => {
    const own = await createServer({ controlSecret: secret });
    const token = await own.engine.tokens.user();
    const get = (path: string) =>
      fetch(own.baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
    await get("/v1/me");
    const response = await fetch(`${own.baseUrl}/_control/requests`, {
      headers: { [controlSecretHeader]: secret, accept: "text/event-stream" },
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await get("/v1/projects");
    const closed = own.close(60_000);
    const operations = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
      ([, data]) => (JSON.parse(data ?? "") as { operationId: string }).operationId,
    );
    expect(operations).toEqual(["me.get", "projects.list"]);
    await closed;
  });

  it.each<[string, string, unknown, number]>([
    ["GET", "/nothing", undefined, 404],
    ["GET", "", undefined, 404],
    ["DELETE", "/reset", undefined, 405],
    ["POST", "/clock/advance", { milliseconds: "1" }, 400],
    ["POST", "/clock/advance", { milliseconds: -1 }, 400],
    ["POST", "/clock/set", {}, 400],
    ["POST", "/clock/set", { time: "teatime" }, 400],
    ["POST", "/tokens", { kind: "root" }, 400],
    ["POST", "/tokens", { kind: "user", userId: 1 }, 400],
    ["POST", "/tokens", { kind: "user", scopes: "all" }, 400],
    ["POST", "/tokens", { kind: "user", userId: "usr_none" }, 404],
    ["POST", "/seed/user", { email: 1 }, 400],
    ["POST", "/seed/project", { nmae: "shop" }, 422],
    ["POST", "/seed/database", {}, 400],
    ["POST", "/seed/database", { projectId: "proj_none" }, 404],
    ["PUT", "/databases/db_none/status", { status: "ready" }, 404],
    ["PUT", "/databases/db_none/status", { status: "happy" }, 400],
    ["POST", "/apps/cps_none/domains", { name: "Not A Domain" }, 404],
    ["POST", "/reset", [1], 400],
    ["PUT", "/snapshot", { version: 9 }, 400],
    ["POST", "/faults", { status: "500" }, 400],
    ["DELETE", "/faults/fault-none", undefined, 404],
    ["PUT", "/rate-limit", { requests: -1 }, 400],
    ["PUT", "/connection-limit", { connections: 1 }, 404],
    ["POST", "/oauth/clients", { redirectUris: ["http://example.com"] }, 400],
    ["POST", "/oauth/consent", { url: "/authorize" }, 400],
  ])("refuses %s %s %j with %i", async (method, path, body, expected) => {
    const before = server.engine.snapshot();
    expect(await control(method, path, body)).toEqual({ status: expected, body: refusal });
    expect(server.engine.snapshot().store).toEqual(before.store);
  });

  it.each<[string, string, object, string, string]>([
    ["POST", "/faults", { operation: "me.get", status: 500, time: 1 }, "time", "operation, skip, times"],
    ["POST", "/clock/advance", { seconds: 1, ms: 2 }, "seconds, ms", "milliseconds"],
    ["PUT", "/rate-limit", { limit: 1 }, "limit", "requests, window, operations"],
    ["PUT", "/databases/db_none/status", { status: "ready", force: true }, "force", "status"],
    ["POST", "/tokens", { kind: "user", user: "usr_1" }, "user", "kind, userId"],
    ["POST", "/tenants", { nmae: "shop" }, "nmae", "name"],
    ["POST", "/seed/user", { mail: "a@example.com" }, "mail", "email, name"],
    ["POST", "/seed/backup", { databaseId: "db_none", type: "full" }, "type", "databaseId"],
    ["POST", "/oauth/clients", { redirectUris: [], redirectUri: "" }, "redirectUri", "redirectUris"],
    ["POST", "/oauth/consent", { client_id: "x" }, "client_id", "url, client"],
  ])("refuses unknown fields: %s %s %j", async (method, path, body, unknown, known) => {
    const before = server.engine.snapshot();
    const { status, body: refused } = await control<{ error: object }>(method, path, body);
    expect({ status, ...refused }).toEqual({
      status: 400,
      error: {
        code: "control:refused",
        message: `The body has unknown fields: ${unknown}`,
        hint: expect.stringContaining(`The fields of this request are ${known}`),
      },
    });
    expect(server.engine.snapshot()).toEqual(before);
    expect(server.engine.faults.list()).toEqual([]);
  });

  it("refuses fields where a request has none", async () => {
    const { status, body } = await control<{ error: { hint: string } }>("POST", "/clock/freeze", { at: 0 });
    expect([status, body.error.hint]).toEqual([400, "Send this request without a body"]);
    expect((await control("POST", "/clock/freeze", {})).status).toBe(200);
  });

  it("refuses a body that is not JSON", async () => {
    const response = await fetch(`${server.baseUrl}/_control/faults`, {
      method: "POST",
      headers: { [controlSecretHeader]: secret },
      body: "{",
    });
    expect(response.status).toBe(400);
  });

  it.each([
    [
      "PUT",
      "/snapshot",
      (deep: string) => {
        const snapshot = JSON.stringify(server.engine.snapshot());
        return snapshot.replace('"name":', `"settings":${deep},"name":`);
      },
    ],
    ["POST", "/seed/project", (deep: string) => `{"name":${deep}}`],
    ["POST", "/faults", (deep: string) => `{"body":${deep}}`],
    ["POST", "/oauth/clients", (deep: string) => `{"redirectUris":${deep}}`],
  ])("refuses a body that is nested too deeply: %s %s", async (method, path, bodyWith) => {
    const before = server.engine.snapshot();
    for (const levels of [200, 20_000]) {
      const response = await fetch(`${server.baseUrl}/_control${path}`, {
        method,
        headers: { [controlSecretHeader]: secret },
        body: bodyWith("[".repeat(levels) + "]".repeat(levels)),
      });
      expect([response.status, await response.json()]).toEqual([400, refusal]);
    }
    expect(server.engine.snapshot().store).toEqual(before.store);
  });

  it("refuses an encoded body", async () => {
    const response = await fetch(`${server.baseUrl}/_control/faults`, {
      method: "POST",
      headers: { [controlSecretHeader]: secret, "content-encoding": "gzip" },
      body: gzipSync("{}"),
    });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining("without the header Content-Encoding"),
    ]);
  });
});
