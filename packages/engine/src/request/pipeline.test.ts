import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Face, openMock } from "../../../mock/test/faces.js";

describe("the order of checks", () => {
  let face: Face;
  let user: string;
  let agent: string;
  let scopeless: string;
  let projectId: string;
  let foreignProjectId: string;

  beforeAll(async () => {
    face = await openMock();
    const { engine } = face;
    user = await engine.tokens.user();
    agent = await engine.tokens.agent();
    scopeless = await engine.tokens.withoutScope();
    projectId = (await engine.seed.project()).id;
    foreignProjectId = (await engine.seed.project({}, { workspaceId: engine.defaults.otherWorkspace.id })).id;
  });
  afterAll(() => face.close());

  it("checks the route before the caller: 404 without a token", async () => {
    expect((await face.send("GET", "/v1/nothing")).code).toBe("route:not_found");
  });

  it("checks the method before the caller: 405 with Allow", async () => {
    const { status, code, headers } = await face.send("PUT", `/v1/projects/${projectId}`);
    expect([status, code, headers.get("allow")]).toEqual([
      405,
      "route:method_not_allowed",
      "GET, PATCH, DELETE",
    ]);
  });

  it("checks the token before it counts: a refused caller does not use another's rate limit", async () => {
    face.engine.setRateLimit({ requests: 1, window: 60_000 });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await face.send("GET", "/v1/apps")).status).toBe(401);
    }
    expect((await face.send("GET", "/v1/apps", { token: user })).status).toBe(200);
    face.engine.setRateLimit(null);
  });

  it("counts before it reads the body: 429, then 413", async () => {
    face.engine.setRateLimit({ requests: 1, window: 60_000 });
    const tooLarge = { token: user, raw: "x".repeat(70_000) };
    expect((await face.send("POST", "/v1/apps", tooLarge)).code).toBe("request:too_large");
    expect((await face.send("POST", "/v1/apps", tooLarge)).code).toBe("rate_limit:exceeded");
    face.engine.setRateLimit(null);
  });

  it("checks the size of the body before its type: 413, then 415, then 400, then 422", async () => {
    const headers = { "content-type": "text/plain" };
    const post = async (raw: string, headers?: Record<string, string>) =>
      (await face.send("POST", "/v1/apps", { token: user, raw, ...(headers && { headers }) })).code;
    expect(await post("{".repeat(70_000), headers)).toBe("request:too_large");
    expect(await post("{", headers)).toBe("request:unsupported_media_type");
    expect(await post("{")).toBe("request:malformed");
    expect(await post("{}")).toBe("validation:failed");
  });

  it("accepts JSON under any spelling of its type", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      'Application/JSON;charset="UTF-8"',
      "application/json; profile=x; charset=UTF-8",
      "application/json;",
    ]) {
      const headers = { "content-type": type };
      const { status } = await face.send("PATCH", `/v1/projects/${projectId}`, {
        token: user,
        body: {},
        headers,
      });
      expect([type, status]).toEqual([type, 200]);
    }
    for (const type of [
      "application/json2",
      "text/json",
      "application/vnd.api+json",
      "application/json; charset=utf-16",
      "",
    ]) {
      const headers = { "content-type": type };
      const { status } = await face.send("PATCH", `/v1/projects/${projectId}`, {
        token: user,
        body: {},
        headers,
      });
      expect([type, status]).toEqual([type, 415]);
    }
  });

  it("validates before it asks for the scope: 422, then 403", async () => {
    expect(
      (await face.send("PATCH", `/v1/projects/${projectId}`, { token: scopeless, body: { name: 1 } })).code,
    ).toBe("validation:failed");
    expect((await face.send("PATCH", `/v1/projects/${projectId}`, { token: scopeless, body: {} })).code).toBe(
      "auth:forbidden",
    );
  });

  it("checks the scope before the resource, malformed ids included", async () => {
    for (const id of ["proj_gone", "A!"]) {
      expect((await face.send("GET", `/v1/projects/${id}`, { token: scopeless })).code).toBe(
        "auth:forbidden",
      );
      expect((await face.send("GET", `/v1/projects/${id}`, { token: user })).code).toBe("project:not_found");
    }
  });

  it("checks the resource before its state, and its state before the approval", async () => {
    const remove = async (id: string) =>
      (await face.send("DELETE", `/v1/projects/${id}`, { token: agent })).code;
    expect(await remove("proj_gone")).toBe("project:not_found");
    expect(await remove(foreignProjectId)).toBe("project:not_found");
    const { id } = await face.engine.seed.database(projectId);
    expect(await remove(projectId)).toBe("project:has_dependencies");
    expect(face.engine.approvals.list()).toEqual([]);
    await face.send("DELETE", `/v1/databases/${id}`, { token: user });
    expect(await remove(projectId)).toBe("approval_required");
  });

  it("returns a unique request id with every response, refusals included", async () => {
    const ids = new Set<string | null>();
    for (const path of ["/v1/projects", "/v1/nothing", "/elsewhere"]) {
      ids.add((await face.send("GET", path)).headers.get("x-request-id"));
    }
    expect(ids.size).toBe(3);
    expect([...ids].every((id) => id?.startsWith("req_"))).toBe(true);
  });
});
