import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { describe, expect, expectTypeOf, it } from "vitest";
import { ConnectionError, InvalidArgumentError, type Project, TimeoutError, createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { closedUrl, json, startServer, thrown } from "../test/server.js";

const start = async (...answer: Parameters<typeof json> extends [unknown, ...infer Rest] ? Rest : never) => {
  const server = await startServer((_, response) => json(response, ...answer));
  const client = createClient({
    baseUrl: server.baseUrl,
    token: "secret-token",
    headers: { "x-team": "blue" },
    transport: nodeTransport(),
  });
  return { ...server, client };
};

describe("the path client", () => {
  it("has the types of the contract and uses the same request path as methods", async () => {
    const { client, seen } = await start(200, { data: { id: "proj_1" } });
    const { data, error, response } = await client.http.GET("/v1/projects/{id}", {
      params: { path: { id: "a b" } },
    });
    expectTypeOf(data).toEqualTypeOf<{ data: Project } | undefined>();
    expect(data?.data.id).toBe("proj_1");
    expect(error).toBeUndefined();
    expect(response.headers.get("x-request-id")).toBe("req_1");
    expect(seen).toMatchObject([
      {
        method: "GET",
        url: "/v1/projects/a%20b",
        headers: { authorization: "Bearer secret-token", "x-team": "blue" },
      },
    ]);
  });

  it("sends queries, bodies and headers", async () => {
    const { client, seen } = await start(201, { data: {} });
    await client.http.GET("/v1/projects", { params: { query: { limit: 5, logicalId: "x&y" } } });
    await client.http.POST("/v1/projects", { body: { name: "shop" }, headers: { "x-team": "red" } });
    expect(seen[0]?.url).toBe("/v1/projects?limit=5&logicalId=x%26y");
    expect(seen[1]).toMatchObject({ body: '{"name":"shop"}', headers: { "x-team": "red" } });
    expect(seen[1]?.headers["content-type"]).toBe("application/json");
  });

  it("returns an error as a value, with its body", async () => {
    const body = { error: { code: "project:not_found", message: "Gone." } };
    const { client } = await start(404, body);
    const { data, error, response } = await client.http.GET("/v1/projects/{id}", {
      params: { path: { id: "x" } },
    });
    expect(data).toBeUndefined();
    expect(error).toEqual(body);
    expect(response.status).toBe(404);
  });

  it("returns nothing for 204", async () => {
    const { baseUrl } = await startServer((_, response) => response.writeHead(204).end());
    const { data, response } = await createClient({ baseUrl, token: false }).http.DELETE(
      "/v1/projects/{id}",
      {
        params: { path: { id: "x" } },
      },
    );
    expect(data).toBeUndefined();
    expect(response.ok).toBe(true);
  });

  it("throws for a missing response, and for the caller's abort", async () => {
    const unreachable = createClient({ baseUrl: closedUrl, token: false });
    expect(await thrown(unreachable.http.GET("/v1/me"))).toBeInstanceOf(ConnectionError);
    const { baseUrl } = await startServer(() => undefined);
    const silent = createClient({ baseUrl, token: false, timeoutMs: 30 });
    expect(await thrown(silent.http.GET("/v1/me"))).toBeInstanceOf(TimeoutError);
    const controller = new AbortController();
    const leaving = await startServer(() => controller.abort("enough"));
    const call = thrown(
      createClient({ baseUrl: leaving.baseUrl, token: false }).http.GET("/v1/me", {
        signal: controller.signal,
      }),
    );
    expect(await call).toMatchObject({ name: "AbortError", cause: "enough" });
  });

  it("leaves no listener on a shared signal", async () => {
    const { client } = await start(200, { data: {} });
    const { signal } = new AbortController();
    for (let call = 0; call < 30; call += 1) await client.http.GET("/v1/me", { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("accepts its own deadline", async () => {
    const { baseUrl } = await startServer(() => undefined);
    const call = createClient({ baseUrl, token: false }).http.GET("/v1/me", { timeoutMs: 30 });
    expect(await thrown(call)).toBeInstanceOf(TimeoutError);
  });

  it("refuses a path whose parameters are missing", async () => {
    const { client, seen } = await start(200, {});
    // @ts-expect-error The types refuse it too.
    const call = client.http.GET("/v1/projects/{id}", {});
    expect(await thrown(call)).toBeInstanceOf(InvalidArgumentError);
    expect(seen).toEqual([]);
  });

  it("refuses a body that cannot be serialized, and quotes none of it", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, {}));
    const { http } = createClient({ baseUrl, token: false });
    // A JavaScript program may pass anything.
    const body = { name: 5n as unknown as string, logicalId: "hunter2" };
    const error = await thrown(http.POST("/v1/projects", { body }));
    expect(error).toMatchObject({ code: "argument:invalid", argument: "body" });
    expect(inspect(error, { depth: null }) + JSON.stringify(error)).not.toContain("hunter2");
    expect(seen).toEqual([]);
  });

  it("runs middleware in order, and no longer once it is ejected", async () => {
    const { client, seen } = await start(200, { data: {} });
    const mark = {
      onRequest: ({ request }: { request: Request }) => request.headers.set("x-mark", "1"),
      onResponse: ({ response }: { response: Response }) =>
        new Response(response.body, { status: response.status, headers: { "x-seen": "yes" } }),
    };
    client.http.use(mark);
    const { response } = await client.http.GET("/v1/me");
    client.http.eject(mark);
    await client.http.GET("/v1/me");
    expect(response.headers.get("x-seen")).toBe("yes");
    expect(seen.map(({ headers }) => headers["x-mark"])).toEqual(["1", undefined]);
  });

  it("accepts the options of a method for one call: retries, token, debug", async () => {
    const { client, seen } = await start(502, {});
    const lines: string[] = [];
    const debug = (line: string) => void lines.push(line);
    const { response } = await client.http.GET("/v1/me", { maxRetries: 1, token: "other", debug });
    expect(response.status).toBe(502);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer other", "Bearer other"]);
    expect(lines).toHaveLength(4);
  });

  it("returns the same object on every access", () => {
    const client = createClient({ baseUrl: "https://x.test", token: false });
    expect(client.http).toBe(client.http);
  });
});
