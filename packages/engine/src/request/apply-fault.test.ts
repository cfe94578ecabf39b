import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "@mgmt/engine";
import { type Face, openMock } from "../../../mock/test/faces.js";

describe("faults", () => {
  let face: Face;
  let token: string;
  beforeAll(async () => {
    face = await openMock();
    token = await face.engine.tokens.user();
  });
  beforeEach(() => face.engine.reset());
  afterAll(() => face.close());

  const list = async () => (await face.send("GET", "/v1/projects", { token })).status;
  const me = async () => (await face.send("GET", "/v1/me", { token })).status;

  it("affects one operation, or several, or all", async () => {
    const { faults } = face.engine;
    faults.add({ operation: "projects.list", status: 500 });
    expect([await list(), await me()]).toEqual([500, 200]);
    faults.clear();
    faults.add({ operation: ["projects.list", "me.get"], status: 503 });
    expect([await list(), await me()]).toEqual([503, 503]);
    faults.clear();
    faults.add({ status: 500 });
    expect([await list(), await me()]).toEqual([500, 500]);
  });

  it("lets requests through first, and counts only those for its operation", async () => {
    const { faults } = face.engine;
    faults.add({ operation: "projects.list", status: 503, skip: 2, times: 1 });
    expect([await list(), await me(), await list(), await list(), await list()]).toEqual([
      200, 200, 200, 503, 200,
    ]);
    expect(faults.list()).toEqual([]);
  });

  it("affects requests with its probability, with the same draws for the same seed", async () => {
    const draws = async () => {
      const engine = new MemoryServer({ deterministic: "dice" });
      const authorization = `Bearer ${await engine.tokens.user()}`;
      engine.faults.add({ status: 500, probability: 0.3 });
      const statuses: number[] = [];
      for (let index = 0; index < 200; index += 1) {
        statuses.push(
          (await engine.handle({ method: "GET", path: "/v1/me", headers: { authorization } })).status,
        );
      }
      return statuses;
    };
    const first = await draws();
    const struck = first.filter((status) => status === 500).length;
    expect(struck).toBeGreaterThan(30);
    expect(struck).toBeLessThan(90);
    expect(await draws()).toEqual(first);
  });

  it("delays the response", async () => {
    face.engine.faults.add({ operation: "me.get", latency: 60 });
    const before = performance.now();
    expect(await me()).toBe(200);
    expect(performance.now() - before).toBeGreaterThanOrEqual(59);
    expect(face.engine.requests.at(-1)?.duration).toBeGreaterThanOrEqual(59);
  });

  it("returns a status that the contract does not have for the operation", async () => {
    face.engine.faults.add({ operation: "projects.list", status: 429, times: 1 });
    const { status, body } = await face.send("GET", "/v1/projects", { token });
    expect([status, body]).toMatchObject([429, { error: { code: "rate_limit:exceeded" } }]);
    face.engine.faults.add({ operation: "projects.list", status: 403, times: 1 });
    const other = await face.send("GET", "/v1/projects", { token });
    expect([other.status, other.body]).toMatchObject([403, { error: { code: "fault:403" } }]);
  });

  it("returns a status and code that the contract does not know, to try a client's patience", async () => {
    face.engine.faults.add({ status: 418, code: "teapot:short", times: 1 });
    const { status, body } = await face.send("GET", "/v1/me", { token });
    expect([status, body]).toEqual([
      418,
      { error: { code: "teapot:short", message: "An installed fault caused this error" } },
    ]);
  });

  it("returns a proxy's page in place of JSON", async () => {
    face.engine.faults.add({ status: 502, body: "<h1>Bad gateway</h1>" });
    const response = await fetch(`${face.baseUrl}/v1/me`);
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      502,
      "text/html",
      "<h1>Bad gateway</h1>",
    ]);
  });

  it("returns a page of an intermediary with a 2xx status", async () => {
    face.engine.faults.add({ status: 200, body: "<h1>Welcome to our network</h1>" });
    const response = await fetch(`${face.baseUrl}/v1/me`);
    expect([response.status, await response.text()]).toEqual([200, "<h1>Welcome to our network</h1>"]);
  });

  it("returns 429 with Retry-After where no limit is set", async () => {
    face.engine.faults.add({ operation: "apps.list", status: 429, times: 1 });
    const { status, code, headers } = await face.send("GET", "/v1/apps", { token });
    expect([status, code, headers.get("retry-after")]).toEqual([429, "rate_limit:exceeded", "1"]);
  });

  it("ignores requests that have no operation", async () => {
    face.engine.faults.add({ status: 500 });
    expect((await face.send("GET", "/v1/nothing", { token })).status).toBe(404);
  });
});
