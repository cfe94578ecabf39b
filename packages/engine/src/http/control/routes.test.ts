import { describe, expect, it } from "vitest";
import { setupControlServer } from "../../../test/http/control-server.js";

describe("the control surface over HTTP", () => {
  const world = setupControlServer();
  const { control, api } = world;

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

  it("decides approvals", async () => {
    const { engine } = world.server;
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
    const token = await world.server.engine.tokens.user();
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
    const token = await world.server.engine.tokens.user();
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
    expect(world.server.engine.rows.projects.size).toBe(0);
    expect((await control("PUT", "/snapshot", body)).status).toBe(204);
    expect(world.server.engine.rows.projects.size).toBe(1);
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
    const before = world.server.engine.snapshot();
    const { status, body: refused } = await control<{ error: object }>(method, path, body);
    expect({ status, ...refused }).toEqual({
      status: 400,
      error: {
        code: "control:refused",
        message: `The body has unknown fields: ${unknown}`,
        hint: expect.stringContaining(`The fields of this request are ${known}`),
      },
    });
    expect(world.server.engine.snapshot()).toEqual(before);
    expect(world.server.engine.faults.list()).toEqual([]);
  });

  it("refuses fields where a request has none", async () => {
    const { status, body } = await control<{ error: { hint: string } }>("POST", "/clock/freeze", { at: 0 });
    expect([status, body.error.hint]).toEqual([400, "Send this request without a body"]);
    expect((await control("POST", "/clock/freeze", {})).status).toBe(200);
  });
});
