import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MemoryServer, defaultSettings } from "@mgmt/engine";

describe("how much of a body is read", () => {
  const engine = new MemoryServer();
  const { limits } = defaultSettings;

  it.each([
    ["POST", "/v1/projects", limits.body],
    ["POST", "/v1/projects?limit=1", limits.body],
    ["POST", "/v1/apps", limits.appBody],
    ["GET", "/v1/projects", 0],
    ["DELETE", "/v1/projects/proj_a", 0],
    ["POST", "/v1/nothing", 0],
    ["PUT", "/v1/projects", 0],
  ])("depends on the operation: %s %s", (method, path, limit) => {
    expect(engine.bodyPolicy(method, path)).toEqual({ limit, discarded: false });
  });

  it("has its own limit for artifacts, which are only counted", () => {
    expect(engine.bodyPolicy("PUT", "/uploads/dpl_a/key")).toEqual({ limit: limits.upload, discarded: true });
    expect(engine.bodyPolicy("PUT", "/uploads/dpl_a/key?x=y")).toMatchObject({ limit: limits.upload });
  });
});

describe("a response", () => {
  it("is JSON that no cache stores", async () => {
    const { headers } = await new MemoryServer().handle({ method: "GET", path: "/v1/me", headers: {} });
    expect(headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json" });
  });

  it("has no media type without a body", async () => {
    const engine = new MemoryServer();
    const { id } = await engine.seed.project();
    const headers = { authorization: `Bearer ${await engine.tokens.user()}` };
    const response = await engine.handle({ method: "DELETE", path: `/v1/projects/${id}`, headers });
    expect([response.status, response.body]).toEqual([204, undefined]);
    expect(response.headers).not.toHaveProperty("content-type");
  });

  it("is the same where the global promise was replaced, as zone.js does", async () => {
    const engine = new MemoryServer();
    const headers = {
      authorization: `Bearer ${await engine.tokens.user()}`,
      "content-type": "application/json",
    };
    vi.stubGlobal("Promise", class<T> extends Promise<T> {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const body = new TextEncoder().encode('{"name":"shop"}');
    const response = await engine.handle({ method: "POST", path: "/v1/projects", headers, body });
    expect(response.status).toBe(201);
  });

  it("has headers for other origins only if the request has an origin", async () => {
    const engine = new MemoryServer();
    const allowed = async (path: string, headers: Record<string, string>) =>
      (await engine.handle({ method: "GET", path, headers })).headers["access-control-allow-origin"];
    const origin = "https://app.example.com";
    expect(await allowed("/v1/me", { origin })).toBe("*");
    expect(await allowed("/v1/me", {})).toBeUndefined();
    expect(await allowed("/elsewhere", { origin })).toBeUndefined();
  });

  it("becomes a reported 500 if it breaks the contract and responses are validated", async () => {
    for (const [validateResponses, status] of [
      [true, 500],
      [false, 200],
    ] as const) {
      const onDefect = vi.fn();
      const engine = new MemoryServer({ validateResponses, onDefect });
      const { id } = engine.defaults.workspace;
      // The year 275760, which a date of RFC 3339 cannot have.
      engine.rows.workspaces.update(id, { createdAt: 8.64e15 });
      const headers = { authorization: `Bearer ${await engine.tokens.user()}` };
      const response = await engine.handle({ method: "GET", path: `/v1/workspaces/${id}`, headers });
      expect(response.status).toBe(status);
      expect(onDefect.mock.calls.map(([error]) => String(error))).toEqual(
        validateResponses ? [expect.stringContaining("workspaces.get returned 200 with a body")] : [],
      );
    }
  });
});
