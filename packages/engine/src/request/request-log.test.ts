import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MemoryServer } from "@mgmt/engine";
import { type LoggedRequest, RequestLog } from "./request-log.js";
import { openMock } from "../../../mock/test/faces.js";

const logged = (at: number, body: unknown): LoggedRequest => ({
  requestId: `req_${String(at)}`,
  at,
  method: "POST",
  path: "/v1/projects",
  operationId: "projects.create",
  principal: null,
  query: null,
  body,
  ignoredFields: [],
  status: 201,
  code: null,
  duration: 1,
  traceId: null,
});

describe("the request log", () => {
  it("tells all listeners, whatever the first of them throws", () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const log = new RequestLog(10);
    const seen: LoggedRequest[] = [];
    log.follow(() => {
      throw new Error("no");
    });
    log.follow((entry) => void seen.push(entry));
    log.add(logged(1, null), 0);
    expect(seen).toEqual([logged(1, null)]);
  });

  it("contains requests and results, without headers and responses", async () => {
    const face = await openMock();
    onTestFinished(() => face.close());
    const { engine } = face;
    const token = await engine.tokens.service();
    await face.send("POST", "/v1/projects?unknown=1", { token, body: { name: "shop" } });
    await face.send("GET", "/v1/projects/proj_none", { token });
    await face.send("GET", "/v1/projects");
    const principal = { kind: "service", subject: `workspace:${engine.defaults.workspace.id}` };
    expect(engine.requests).toMatchObject([
      {
        method: "POST",
        path: "/v1/projects",
        operationId: "projects.create",
        principal,
        query: {},
        body: { name: "shop", createDatabase: true },
        ignoredFields: [],
        status: 201,
        code: null,
      },
      {
        operationId: "projects.get",
        status: 404,
        code: "project:not_found",
        body: null,
        ignoredFields: [],
      },
      { operationId: "projects.list", status: 401, code: "auth:unauthorized", principal: null, query: null },
    ]);
    const text = JSON.stringify(engine.requests);
    expect(text).not.toContain(token);
    expect(text).not.toContain(engine.rows.connections.find({})?.pass);
  });

  it("contains no part of a path that could be a misplaced secret, and neither do messages", async () => {
    const face = await openMock();
    onTestFinished(() => face.close());
    const { engine } = face;
    const token = await engine.tokens.user();
    const secrets = [token, "Sw0rdfish/" + "Sw0rdfish", "%53word", "a".repeat(65)];
    for (const secret of secrets) {
      for (const path of [`/v1/projects/${secret}`, `/v1/${secret}`, `/${secret}`, `/uploads/${secret}`]) {
        const { body } = await face.send("GET", path, { token });
        const text = JSON.stringify([engine.requests.at(-1)?.path, body]);
        for (const part of secret.split("/")) expect(text).not.toContain(part);
      }
    }
    await face.send("GET", "/v1/projects/proj_none/databases", { token });
    expect(engine.requests.at(-1)?.path).toBe("/v1/projects/proj_none/databases");
  });

  it("omits the oldest bodies when the bodies exceed 16 MiB in total", () => {
    const log = new RequestLog(10);
    const entries = Array.from({ length: 30 }, (_, index) => logged(index, index === 29 ? null : { index }));
    for (const entry of entries.slice(0, 20)) log.add(entry, 6 * 1024 * 1024);
    expect(log.list().map(({ body }) => body)).toEqual([
      ...Array.from({ length: 8 }, () => "[omitted]"),
      { index: 18 },
      { index: 19 },
    ]);
    for (const entry of entries.slice(20)) log.add(entry, 1024 * 1024);
    expect(log.list().map(({ body }) => body)).toEqual([
      ...Array.from({ length: 9 }, (_, index) => ({ index: index + 20 })),
      null,
    ]);
    log.clear();
    log.add(logged(0, { index: 0 }), 10 * 1024 * 1024);
    expect(log.list().map(({ body }) => body)).toEqual([{ index: 0 }]);
  });

  it.each([
    ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true],
    ["cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true],
    ["cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", true],
    ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", false],
    ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more", false],
    ["ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false],
    ["00-00000000000000000000000000000000-b7ad6b7169203331-01", false],
    ["00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false],
    ["00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false],
    ["0af7651916cd43dd8448eb211c80319c", false],
    ["", false],
  ])("has the trace that traceparent %j continues, if it is valid: %s", async (traceparent, isValid) => {
    const engine = new MemoryServer();
    await engine.handle({ method: "GET", path: "/v1/me", headers: { traceparent } });
    expect(engine.requests.at(-1)?.traceId).toBe(isValid ? "0af7651916cd43dd8448eb211c80319c" : null);
  });

  it("names each request by the x-request-id of its response", async () => {
    const face = await openMock();
    onTestFinished(() => face.close());
    const { headers } = await face.send("GET", "/v1/me");
    expect(face.engine.requests.at(-1)?.requestId).toBe(headers.get("x-request-id"));
  });

  it("contains the latest requests, up to the configured number", async () => {
    const engine = new MemoryServer({ logCapacity: 10 });
    for (let index = 0; index < 35; index += 1) {
      await engine.handle({ method: "GET", path: `/v1/${String(index)}`, headers: {} });
    }
    const paths = engine.requests.map(({ path }) => path);
    expect(paths).toEqual(Array.from({ length: 10 }, (_, index) => `/v1/${String(25 + index)}`));
  });

  it("can be followed and left", async () => {
    const engine = new MemoryServer();
    const seen: string[] = [];
    const leave = engine.followRequests(({ path }) => seen.push(path));
    await engine.handle({ method: "GET", path: "/v1/a", headers: {} });
    leave();
    await engine.handle({ method: "GET", path: "/v1/b", headers: {} });
    expect(seen).toEqual(["/v1/a"]);
  });
});
