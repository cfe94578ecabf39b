import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { controlSecretHeader, createServer } from "@mgmt/mock/server";
import { secret, setupControlServer } from "../../../test/http/control-server.js";

describe("the control surface over HTTP", () => {
  const world = setupControlServer();
  const { control, api } = world;

  /** What a refusal says: what happened, and what to do. */
  const rejection = {
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
      expect(refused).toEqual({ status: 403, body: rejection });
      expect(world.server.engine.rows.projects.size).toBe(0);
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
      expect(await response.json()).toEqual(rejection);
      await closed.close();
    });
  });

  it("allows no origin to read its responses", async () => {
    const response = await fetch(`${world.server.baseUrl}/_control/clock`, {
      headers: { [controlSecretHeader]: secret, origin: world.server.baseUrl },
    });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null]);
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
    const { engine } = world.server;
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

  it("returns a token with every field of the request", async () => {
    const { seed } = world.server.engine;
    const sponsor = await seed.user();
    const workspace = await seed.workspace({ ownerId: sponsor.id });
    const { id: serviceTokenId } = await seed.serviceToken({ name: "ci" });
    const claimsOf = async (fields: object): Promise<unknown> => {
      const { body } = await control<{ token: string }>("POST", "/tokens", fields);
      return JSON.parse(Buffer.from(body.token.split(".")[1] ?? "", "base64url").toString());
    };
    const times = { notBefore: "2026-01-01T00:00:01Z", expiresAt: "2026-01-01T00:01:00Z" };
    const agent = { kind: "agent", agentId: "builder", sponsorId: sponsor.id };
    expect(await claimsOf({ ...agent, ...times, scopes: ["offline_access"] })).toMatchObject({
      ...{ sub: "builder", sponsor: sponsor.id, workspace_id: workspace.id },
      ...{ nbf: 1_767_225_601, exp: 1_767_225_660, scope: "offline_access" },
    });
    expect(await claimsOf({ kind: "service", serviceTokenId })).toMatchObject({ jti: serviceTokenId });
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
    for (const token of [two.token, two.serviceToken, await world.server.engine.tokens.user()]) {
      expect(await api("GET", `/v1/projects/${project.id}`, token)).toBe(404);
    }
    expect((await control("POST", "/tenants", { name: 5 })).status).toBe(400);
  });

  it("lists the requests, without the control surface's own", async () => {
    const token = await world.server.engine.tokens.service();
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

  it("follows no requests any more for a client that has disconnected", async () => {
    const stopFollowing = vi.fn();
    vi.spyOn(world.server.engine, "followRequests").mockReturnValue(stopFollowing);
    const client = new AbortController();
    await fetch(`${world.server.baseUrl}/_control/requests`, {
      headers: { [controlSecretHeader]: secret, accept: "text/event-stream" },
      signal: client.signal,
    });
    client.abort();
    await vi.waitFor(() => expect(stopFollowing).toHaveBeenCalledOnce());
  });

  const consent = {
    redirectUri: "http://127.0.0.1/callback",
    state: "s",
    codeChallenge: "a".repeat(43),
  };

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
    ["POST", "/oauth/consent", { ...consent, client: "itgr_none" }, 400],
    ["POST", "/oauth/consent", { ...consent, redirectUri: "https://evil.example/" }, 400],
    ["POST", "/oauth/consent", { ...consent, scope: "everything" }, 400],
    ["POST", "/oauth/consent", { ...consent, codeChallenge: "short" }, 400],
    ["POST", "/oauth/consent", { ...consent, codeChallengeMethod: "plain" }, 400],
    ["POST", "/oauth/consent", { ...consent, user: "usr_none" }, 404],
    ["POST", "/oauth/consent", { ...consent, workspace: "wksp_none" }, 404],
  ])("refuses %s %s %j with %i", async (method, path, body, expected) => {
    const before = world.server.engine.snapshot();
    expect(await control(method, path, body)).toEqual({ status: expected, body: rejection });
    expect(world.server.engine.snapshot().store).toEqual(before.store);
  });

  it("grants a consent with the state of the request", async () => {
    const { status, body } = await control<{ redirect: string }>("POST", "/oauth/consent", consent);
    expect([status, new URL(body.redirect).searchParams.get("state")]).toEqual([200, "s"]);
  });

  it("responds to a defect with a 500 that hides it, and reports it", async () => {
    const onDefect = vi.fn();
    const own = await createServer({ engineOptions: { onDefect }, controlSecret: secret });
    const defect = new TypeError("Cannot read properties of undefined");
    vi.spyOn(own.engine, "reset").mockRejectedValue(defect);
    const response = await fetch(`${own.baseUrl}/_control/reset`, {
      method: "POST",
      headers: { [controlSecretHeader]: secret },
    });
    expect(response.status).toBe(500);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("internal:error");
    expect(error.message).not.toContain(defect.message);
    expect(onDefect.mock.calls).toEqual([[defect]]);
    await own.close();
  });

  it("reports no defect if the client disconnects before it has sent the whole body", async () => {
    const onDefect = vi.fn();
    const own = await createServer({ engineOptions: { onDefect }, controlSecret: secret });
    const requestReceived = once(own.server, "request");
    const client = connect(own.port, own.host);
    client.write(
      `POST /_control/faults HTTP/1.1\r\nhost: ${own.host}:${String(own.port)}\r\n` +
        `${controlSecretHeader}: ${secret}\r\ncontent-length: 100\r\n\r\n{`,
    );
    const [, response] = (await requestReceived) as [IncomingMessage, ServerResponse];
    const disconnected = once(response, "close");
    client.destroy();
    await disconnected;
    await own.close();
    expect(onDefect).not.toHaveBeenCalled();
  });

  it("refuses a body that is not JSON", async () => {
    const response = await fetch(`${world.server.baseUrl}/_control/faults`, {
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
        const snapshot = JSON.stringify(world.server.engine.snapshot());
        return snapshot.replace('"name":', `"settings":${deep},"name":`);
      },
    ],
    ["POST", "/seed/project", (deep: string) => `{"name":${deep}}`],
    ["POST", "/faults", (deep: string) => `{"body":${deep}}`],
    ["POST", "/oauth/clients", (deep: string) => `{"redirectUris":${deep}}`],
  ])("refuses a body that is nested too deeply: %s %s", async (method, path, bodyWith) => {
    const before = world.server.engine.snapshot();
    for (const levels of [200, 20_000]) {
      const response = await fetch(`${world.server.baseUrl}/_control${path}`, {
        method,
        headers: { [controlSecretHeader]: secret },
        body: bodyWith("[".repeat(levels) + "]".repeat(levels)),
      });
      expect([response.status, await response.json()]).toEqual([400, rejection]);
    }
    expect(world.server.engine.snapshot().store).toEqual(before.store);
  });

  it("refuses an encoded body", async () => {
    const response = await fetch(`${world.server.baseUrl}/_control/faults`, {
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
