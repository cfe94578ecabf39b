import { describe, expect, it, vi } from "vitest";
import { InvalidArgumentError, TokenError, createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { json, startServer, thrown } from "../../test/server.js";

const project = { id: "proj_1", name: "shop" };

describe.each([
  ["fetch", () => undefined],
  ["nodeTransport", () => nodeTransport()],
])("a request over %s", (_, transport) => {
  const start = async (status = 200, body: unknown = { data: project }) => {
    const server = await startServer((_, response) => json(response, status, body));
    const client = createClient({ baseUrl: server.baseUrl, token: "secret-token", transport: transport() });
    return { ...server, client };
  };

  it("uses the method and path of the operation, with the credential as a bearer token", async () => {
    const { client, seen } = await start();
    expect(await client.projects.get("proj_1")).toEqual(project);
    expect(seen).toMatchObject([
      { method: "GET", url: "/v1/projects/proj_1", headers: { authorization: "Bearer secret-token" } },
    ]);
    expect(seen[0]?.headers["content-type"]).toBeUndefined();
  });

  it("sends a body as JSON, whatever script it is written in", async () => {
    const { client, seen } = await start(201);
    await client.projects.create({ name: "Лавка 🛒" });
    expect(seen[0]?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ name: "Лавка 🛒" });
  });

  it("sends no body if there is none", async () => {
    const { client, seen } = await start(201);
    await client.projects.create();
    expect(seen[0]).toMatchObject({ method: "POST", body: "" });
    expect(seen[0]?.headers["content-type"]).toBeUndefined();
    expect(seen[0]?.headers["content-length"]).toBe("0");
  });

  it("encodes path and query values, and leaves out null and undefined", async () => {
    const { client, seen } = await start();
    await client.request({
      method: "GET",
      path: "/v1/projects/{id}",
      pathParams: { id: "a b/ü?#" },
      query: { cursor: null, limit: 5, logicalId: "x&y=ü", other: undefined, on: true },
    });
    expect(seen[0]?.url).toBe("/v1/projects/a%20b%2F%C3%BC%3F%23?limit=5&logicalId=x%26y%3D%C3%BC&on=true");
  });

  it("returns nothing for 204", async () => {
    const server = await startServer((_, response) => response.writeHead(204).end());
    const client = createClient({ baseUrl: server.baseUrl, token: false, transport: transport() });
    expect(await client.projects.delete("proj_1")).toBeUndefined();
    expect(await client.request({ method: "DELETE", path: "/v1/projects/x" })).toBeUndefined();
  });

  it("preserves the envelope when it is sent by path", async () => {
    const { client } = await start();
    expect(await client.request({ method: "GET", path: "/v1/projects/x" })).toEqual({ data: project });
  });

  it("lets headers of the call replace those of the client, whatever their case", async () => {
    const server = await startServer((_, response) => json(response, 200, { data: project }));
    const headers = { "X-Team": "blue", "x-kept": "yes" };
    const client = createClient({ baseUrl: server.baseUrl, headers, token: "own", transport: transport() });
    await client.projects.get("x", { headers: { "x-TEAM": "red", Authorization: "Bearer other" } });
    expect(server.seen[0]?.headers).toMatchObject({
      "x-team": "red",
      "x-kept": "yes",
      authorization: "Bearer other",
    });
  });

  it("reads a response that arrives in many pieces, even within a character", async () => {
    const bytes = Buffer.from(JSON.stringify({ data: { name: "ü".repeat(50_000) } }));
    const { baseUrl } = await startServer((_, response) => {
      response.write(bytes.subarray(0, 32_769));
      setImmediate(() => response.end(bytes.subarray(32_769)));
    });
    const client = createClient({ baseUrl, token: false, transport: transport() });
    expect((await client.projects.get("x")).name).toBe("ü".repeat(50_000));
  });

  it("reuses the client for many calls at a time", async () => {
    const { client, seen } = await start();
    await Promise.all(Array.from({ length: 50 }, () => client.projects.get("proj_1")));
    expect(seen).toHaveLength(50);
  });
});

describe("the token", () => {
  it("may be a function, which is called before every request", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, { data: project }));
    let count = 0;
    const client = createClient({ baseUrl, token: async () => `t${(count += 1)}` });
    await client.projects.get("x");
    await client.projects.get("x");
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer t1", "Bearer t2"]);
  });

  it("is not sent when it is false, for the client or for one call", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, { data: project }));
    await createClient({ baseUrl, token: false }).projects.get("x");
    await createClient({ baseUrl, token: "own" }).projects.get("x", { token: false });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it.each(["", " ", "line\nbreak", "with space", "Bearer abc", "zero\0", "ünïcode"])(
    "is refused if it is %j, and not quoted",
    async (token) => {
      const { baseUrl, seen } = await startServer((_, response) => json(response, 200, {}));
      const error = await thrown(createClient({ baseUrl, token }).projects.get("x"));
      expect(error).toBeInstanceOf(TokenError);
      if (token.length > 1) expect(String(error)).not.toContain(token);
      expect(seen).toEqual([]);
    },
  );

  it("settles the call with a TokenError when its function throws, and nothing is left unhandled", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, {}));
    const cause = new Error("keyring locked");
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const throwing = () => {
      throw cause;
    };
    for (const token of [throwing, () => Promise.reject(cause)]) {
      const error = await thrown(createClient({ baseUrl, token }).projects.get("x"));
      expect(error).toBeInstanceOf(TokenError);
      expect(error).toMatchObject({ code: "token:unavailable", cause });
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
    expect(seen).toEqual([]);
  });

  it("is asked for with a signal that aborts at the deadline and when the caller aborts", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, { data: {} }));
    const signals: AbortSignal[] = [];
    const client = createClient({
      baseUrl,
      token: ({ signal }) => {
        signals.push(signal);
        return signals.length > 1 ? new Promise<never>(() => undefined) : "token";
      },
    });
    await client.me.get();
    const controller = new AbortController();
    const aborted = thrown(client.me.get({ signal: controller.signal }));
    controller.abort();
    expect(await aborted).toBe(controller.signal.reason);
    expect(await thrown(client.me.get({ timeoutMs: 10 }))).toMatchObject({ code: "connection:timeout" });
    expect(signals.map((signal) => signal.aborted)).toEqual([false, true, true]);
    expect(seen).toHaveLength(1);
  });

  it.each([null, 5, {}])("is refused if it is neither text nor a function: %j", async (token) => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, {}));
    // `localStorage.getItem` returns null, and JavaScript callers may pass it.
    const untyped = token as unknown as string;
    expect(() => createClient({ baseUrl, token: untyped })).toThrow(InvalidArgumentError);
    const client = createClient({ baseUrl, token: "token" });
    expect(await thrown(client.me.get({ token: untyped }))).toMatchObject({
      code: "argument:invalid",
      message: "token must be a string, a function or false",
    });
    const error = await thrown(createClient({ baseUrl, token: () => untyped }).me.get());
    expect(error).toBeInstanceOf(TokenError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^The token is/),
      hint: expect.any(String),
    });
    expect(seen).toEqual([]);
  });

  it("ends the call at the deadline when its function never returns", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, {}));
    const client = createClient({ baseUrl, token: () => new Promise(() => undefined), timeoutMs: 30 });
    expect(await thrown(client.projects.get("x"))).toMatchObject({ code: "connection:timeout" });
    expect(seen).toEqual([]);
  });

  it("is not used if it arrives after the call was aborted", async () => {
    const fetch = vi.fn<typeof globalThis.fetch>();
    const controller = new AbortController();
    let give: (token: string) => void = () => undefined;
    const token = () => new Promise<string>((resolve) => (give = resolve));
    const client = createClient({ baseUrl: "https://api.test", token, fetch });
    const call = thrown(client.projects.get("x", { signal: controller.signal }));
    controller.abort("enough");
    expect(await call).toMatchObject({ name: "AbortError", cause: "enough" });
    give("late");
    await new Promise((resolve) => setImmediate(resolve));
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe("invalid input", () => {
  const client = createClient({ baseUrl: "http://127.0.0.1:9", token: false });

  it("includes a header value with a line break, without quoting it", async () => {
    const headers = { "x-key": "secret\r\nx-evil: 1" };
    const error = await thrown(client.projects.get("x", { headers }));
    expect(error).toMatchObject({ code: "argument:invalid", argument: 'headers["x-key"]' });
    expect(String(error)).not.toContain("secret");
    expect(() => createClient({ baseUrl: "https://x.test", token: false, headers })).toThrow(
      InvalidArgumentError,
    );
  });

  it.each([
    ["with a line break", { "a\nb": "1" }],
    ["that is empty", { "": "1" }],
    ["that transports leave out", JSON.parse('{ "__proto__": "1" }')],
  ])("includes a header name %s", async (_, headers) => {
    const expected = {
      code: "argument:invalid",
      argument: "headers",
      problem: "has a name that cannot be sent",
    };
    expect(await thrown(client.projects.get("x", { headers }))).toMatchObject(expected);
    expect(() => createClient({ baseUrl: "https://x.test", token: false, headers })).toThrow(
      InvalidArgumentError,
    );
  });

  it("includes a body that refers to itself, or contains a bigint", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const body of [circle, { size: 1n }]) {
      const error = await thrown(client.request({ method: "POST", path: "/v1/projects", body }));
      expect(error).toMatchObject({ code: "argument:invalid", argument: "body" });
    }
  });

  it("includes a body of a GET", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, {}));
    const call = createClient({ baseUrl, token: false }).request({ method: "GET", path: "/v1/me", body: {} });
    expect(await thrown(call)).toMatchObject({ code: "argument:invalid", argument: "body" });
    expect(seen).toEqual([]);
  });

  it("includes a query value that is not a string, number or boolean", async () => {
    for (const limit of [{}, [1], () => 1, Symbol("x")]) {
      const error = await thrown(client.request({ method: "GET", path: "/v1/projects", query: { limit } }));
      expect(error).toMatchObject({ code: "argument:invalid", argument: "limit" });
    }
  });
});
