import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { GET, POST } from "../../examples/next-route/route.js";

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

/** Status and body, after a look for what may be in no answer. */
const read = async (response: Response): Promise<{ status: number; body: unknown }> => {
  const text = await response.text();
  expect(text).not.toMatch(/postgres|connection|pass/i);
  expect(text).not.toContain(process.env.MGMT_TOKEN);
  return { status: response.status, body: JSON.parse(text) };
};

describe("the route", () => {
  it("makes a shop's project and database once, and hands out no connection string", async () => {
    const first = await read(await open("toys"));
    const second = await read(await open("toys"));
    expect(first.status).toBe(201);
    expect(second).toEqual({ status: 200, body: first.body });
    expect([server.engine.store.projects.size, server.engine.store.databases.size]).toEqual([1, 1]);
  });

  it("makes one shop of many requests at once", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => open("toys")));
    const bodies = await Promise.all(
      answers.map(async (answer) => JSON.stringify((await read(answer)).body)),
    );
    const ids = bodies.map((body) => body.replace(/"status":"\w+"/, ""));
    expect(new Set(ids).size).toBe(1);
    expect(server.engine.store.databases.size).toBe(1);
  });

  it("shows a shop, and is 404 for one that is not there", async () => {
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
  ])("is 400 for a body that is %s, and asks the service nothing", async (_what, body) => {
    const before = server.engine.requests.length;
    const error = { code: "request:invalid", message: expect.stringContaining('{"shop"') };
    expect(await read(await post(body))).toEqual({ status: 400, body: { error } });
    expect(server.engine.requests).toHaveLength(before);
  });

  it.each([
    ["absent", ""],
    ["empty", "?shop="],
    ["too long", `?shop=${"x".repeat(256)}`],
  ])("is 400 for a name in the query that is %s", async (_what, query) => {
    expect(await read(await get(query))).toMatchObject({
      status: 400,
      body: { error: { code: "request:invalid", message: expect.stringContaining("?shop=") } },
    });
  });

  it("is 400 with the issues for what only the service refuses", async () => {
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

  it("is 503 with Retry-After when the service is down", async () => {
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

  it("is 503 when the service fails, and what it had made is there for the next request", async () => {
    server.engine.faults.add({ operation: "databases.create", status: 500 });
    expect((await read(await open("toys"))).status).toBe(503);
    server.engine.faults.clear();
    expect((await read(await open("toys"))).status).toBe(201);
    expect(server.engine.store.projects.size).toBe(1);
  });

  it("is 500 when its own credential is refused, and does not say so", async () => {
    vi.stubEnv("MGMT_TOKEN", "hush");
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { status, body } = await read(await open("toys"));
    expect({ status, body }).toMatchObject({ status: 500, body: { error: { code: "internal:error" } } });
    expect(JSON.stringify(body)).not.toContain("auth");
    expect(JSON.stringify(log.mock.calls)).toContain("auth:unauthorized");
    expect(JSON.stringify(log.mock.calls)).not.toContain("hush");
  });

  it("ends its calls when the browser goes away", async () => {
    const gone = new AbortController();
    server.engine.faults.add({ operation: "projects.create", latency: 60_000 });
    const request = new Request(address, { method: "POST", body: '{"shop":"toys"}', signal: gone.signal });
    const answer = POST(request);
    gone.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });
});
