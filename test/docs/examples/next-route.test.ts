import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { GET, POST } from "../../../examples/next-route/app/api/shops/route.js";

let server: RunningServer;
const address = "https://app.example.com/api/shops";

beforeAll(async () => {
  server = await createServer({ engineOptions: { frozen: true } }); // a new database stays provisioning
});
beforeEach(async () => {
  await server.engine.reset();
  vi.stubEnv("MGMT_BASE_URL", server.baseUrl);
  vi.stubEnv("MGMT_TOKEN", await server.engine.tokens.service());
});
afterEach(() => {
  server.engine.faults.clear();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => server.close());

const get = (query: string) => GET(new Request(`${address}${query}`));
const post = (body: string) => POST(new Request(address, { method: "POST", body }));
const open = (shop: string) => post(JSON.stringify({ shop }));

/** Returns status and body, and checks that the response contains no secret. */
const read = async (response: Response): Promise<{ status: number; body: unknown }> => {
  const text = await response.text();
  expect(text).not.toMatch(/postgres|connection|pass/i);
  expect(text).not.toContain(process.env.MGMT_TOKEN);
  return { status: response.status, body: JSON.parse(text) };
};

describe("the route", () => {
  it("creates a shop's project and database once, without returning a connection string", async () => {
    const first = await read(await open("toys"));
    const second = await read(await open("toys"));
    expect(first.status).toBe(201);
    expect(second).toEqual({ status: 200, body: first.body });
    expect([server.engine.store.projects.size, server.engine.store.databases.size]).toEqual([1, 1]);
  });

  it("creates one shop for many concurrent requests", async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => open("toys")));
    const bodies = await Promise.all(
      responses.map(async (response) => JSON.stringify((await read(response)).body)),
    );
    const ids = bodies.map((body) => body.replace(/"status":"\w+"/, ""));
    expect(new Set(ids).size).toBe(1);
    expect(server.engine.store.databases.size).toBe(1);
  });

  it("returns a shop, or 404 if it does not exist", async () => {
    expect((await read(await get("?shop=toys"))).status).toBe(404);
    const { body } = await read(await open("toys"));
    expect(await read(await get("?shop=toys"))).toEqual({ status: 200, body });
  });

  it.each([
    ["absent", ""],
    ["broken", "{"],
    ["null", "null"],
    ["a list", "[]"],
    ["without a shop", "{}"],
    ["with a number", '{"shop":1}'],
    ["with an empty name", '{"shop":""}'],
    ["with a name that is too long", JSON.stringify({ shop: "x".repeat(256) })],
  ])("returns 400 without calling the service for a body that is %s", async (_what, body) => {
    const before = server.engine.requests.length;
    const error = { code: "request:invalid", message: expect.stringContaining('{"shop"') };
    expect(await read(await post(body))).toEqual({ status: 400, body: { error } });
    expect(server.engine.requests).toHaveLength(before);
  });

  it.each([
    ["absent", ""],
    ["empty", "?shop="],
    ["too long", `?shop=${"x".repeat(256)}`],
  ])("returns 400 for a name in the query that is %s", async (_what, query) => {
    expect(await read(await get(query))).toMatchObject({
      status: 400,
      body: { error: { code: "request:invalid", message: expect.stringContaining("?shop=") } },
    });
  });

  it("returns 400 with the issues that the service found", async () => {
    const fault = {
      code: "validation:failed",
      message: "no",
      issues: [{ path: "logicalId", message: "no" }],
    };
    server.engine.faults.add({
      operation: "projects.list",
      status: 422,
      body: JSON.stringify({ error: fault }),
    });
    expect(await read(await get("?shop=toys"))).toMatchObject({
      status: 400,
      body: { error: { issues: fault.issues } },
    });
  });

  it("returns 503 with Retry-After if the service is down", async () => {
    const closed = await createServer();
    await closed.close();
    vi.stubEnv("MGMT_BASE_URL", closed.baseUrl);
    for (const response of await Promise.all([get("?shop=toys"), open("toys")])) {
      expect(response.headers.get("retry-after")).toBe("5");
      expect(await read(response)).toMatchObject({
        status: 503,
        body: { error: { code: "service:unavailable" } },
      });
    }
  });

  it("returns 503 if the service fails, and completes the shop in the next request", async () => {
    server.engine.faults.add({ operation: "databases.create", status: 500 });
    expect((await read(await open("toys"))).status).toBe(503);
    server.engine.faults.clear();
    expect((await read(await open("toys"))).status).toBe(201);
    expect(server.engine.store.projects.size).toBe(1);
  });

  it("returns 500 without the reason if its own credential is rejected", async () => {
    vi.stubEnv("MGMT_TOKEN", "hush");
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { status, body } = await read(await open("toys"));
    expect({ status, body }).toMatchObject({ status: 500, body: { error: { code: "internal:error" } } });
    expect(JSON.stringify(body)).not.toContain("auth");
    expect(JSON.stringify(log.mock.calls)).toContain("auth:unauthorized");
    expect(JSON.stringify(log.mock.calls)).not.toContain("hush");
  });

  it("aborts its calls when the browser disconnects", async () => {
    const gone = new AbortController();
    server.engine.faults.add({ operation: "projects.create", latency: 60_000 });
    const request = new Request(address, { method: "POST", body: '{"shop":"toys"}', signal: gone.signal });
    const response = POST(request);
    gone.abort();
    await expect(response).rejects.toMatchObject({ name: "AbortError" });
  });
});
