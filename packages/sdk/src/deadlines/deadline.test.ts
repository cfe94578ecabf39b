import { getEventListeners } from "node:events";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConnectionError, TimeoutError, type Transport, createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { json, startServer, thrown } from "../../test/server.js";

const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;

/** Timers of earlier tests may end meanwhile, but not those of the calls here, in milliseconds. */
const shorterThanCalls = 10_000;

const transports: [string, () => Transport | undefined][] = [
  ["fetch", () => undefined],
  ["nodeTransport", () => nodeTransport()],
];

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(transports)("a deadline over %s", (_, transport) => {
  it("ends a call whose headers never arrive", async () => {
    const { baseUrl } = await startServer(() => undefined);
    const client = createClient({ baseUrl, token: false, transport: transport(), timeoutMs: 40 });
    const error = await thrown(client.projects.list({ limit: 3 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      name: "TimeoutError",
      code: "connection:timeout",
      timeoutMs: 40,
      message: `GET ${baseUrl}/v1/projects got no complete response within 40 ms`,
    });
  });

  it("ends a call whose body stops halfway", async () => {
    const { baseUrl } = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":');
    });
    const client = createClient({ baseUrl, token: false, transport: transport() });
    expect(await thrown(client.projects.get("x", { timeoutMs: 40 }))).toBeInstanceOf(TimeoutError);
  });

  it("ends a call whose connection is never ready", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const sockets: Socket[] = [];
    silent.on("connection", (socket) => sockets.push(socket));
    // A listening TCP server has an address of this form.
    const { port } = silent.address() as AddressInfo;
    const baseUrl = `https://127.0.0.1:${port}`;
    const client = createClient({ baseUrl, token: false, transport: transport(), timeoutMs: 60 });
    expect(await thrown(client.projects.create())).toMatchObject({ name: "TimeoutError", timeoutMs: 60 });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it("applies to all attempts and the pauses between them", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { baseUrl, seen } = await startServer((_request, response, count) => {
      if (count <= 2) json(response, 502, {});
    });
    const client = createClient({ baseUrl, token: false, transport: transport(), timeoutMs: 2_500 });
    const error = await thrown(client.projects.get("x", { maxRetries: 9 }));
    expect(error).toMatchObject({ name: "TimeoutError", timeoutMs: 2_500 });
    expect(error).toHaveProperty("attempts.length", 3);
    expect(seen).toHaveLength(3);
  });

  it("does not exist when it is Infinity, and may be longer than timers can be", async () => {
    const { baseUrl } = await startServer((_request, response) => json(response, 200, { data: { id: "x" } }));
    const client = createClient({
      baseUrl,
      token: false,
      transport: transport(),
      timeoutMs: Number.POSITIVE_INFINITY,
    });
    expect(await client.projects.get("x")).toEqual({ id: "x" });
    expect(await client.projects.get("x", { timeoutMs: 2 ** 40 })).toEqual({ id: "x" });
  });

  it("yields to the caller, whose reason is thrown: before the call, without headers, within the body", async () => {
    const { baseUrl, seen } = await startServer(({ url }, response) => {
      if (!url.endsWith("body")) return;
      response.writeHead(200);
      response.write("{");
    });
    const client = createClient({ baseUrl, token: false, transport: transport() });
    const reason = new Error("The user left.");
    expect(await thrown(client.projects.get("x", { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(seen).toEqual([]);
    for (const id of ["headers", "body"]) {
      const controller = new AbortController();
      const call = thrown(client.projects.get(id, { signal: controller.signal }));
      while (!seen.some(({ url }) => url.endsWith(id)))
        await new Promise((resolve) => setTimeout(resolve, 5));
      controller.abort(reason);
      expect(await call).toBe(reason);
    }
  });

  it("refuses a signal that is none, such as its controller, for calls, waits and ensures", async () => {
    const { baseUrl, seen } = await startServer(() => undefined);
    const client = createClient({ baseUrl, token: false });
    // JavaScript callers can pass anything.
    const options = { signal: new AbortController() as unknown as AbortSignal };
    for (const call of [
      client.projects.get("proj_1", options),
      client.databases.waitUntilReady("db_1", options),
      client.projects.ensure({ logicalId: "shop" }, options),
    ]) {
      expect(await thrown(call)).toMatchObject({ code: "argument:invalid", argument: "signal" });
    }
    expect(seen).toEqual([]);
  });

  it("throws an AbortError when the caller gives no reason", async () => {
    const { baseUrl } = await startServer(() => undefined);
    const controller = new AbortController();
    const client = createClient({ baseUrl, token: false, transport: transport() });
    const call = thrown(client.projects.get("x", { signal: controller.signal }));
    controller.abort();
    expect(await call).toMatchObject({ name: "AbortError" });
  });

  it("leaves no listener on a shared signal, whether calls succeed, fail or are refused", async () => {
    const { baseUrl } = await startServer(({ url }, response) =>
      url.endsWith("bad")
        ? json(response, 500, { error: { code: "internal:error", message: "m" } })
        : json(response, 200, { data: { id: "x" } }),
    );
    const { signal } = new AbortController();
    const client = createClient({ baseUrl, token: false, transport: transport() });
    const ids = Array.from({ length: 30 }, (_each, index) => ["good", "bad", ".."][index % 3] ?? "");
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on("warning", onWarning);
    await Promise.allSettled(ids.map((id) => client.projects.get(id, { signal })));
    for (const id of ids) await Promise.allSettled([client.projects.get(id, { signal })]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

describe("a deadline", () => {
  it("lasts a minute by default", async () => {
    const transport: Transport = { send: () => new Promise(() => undefined) };
    vi.useFakeTimers();
    let error: unknown;
    createClient({ baseUrl: "https://x.test", token: false, transport })
      .me.get()
      .catch((reason: unknown) => (error = reason));
    await vi.advanceTimersByTimeAsync(59_999);
    expect(error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(error).toMatchObject({ name: "TimeoutError", timeoutMs: 60_000 });
  });

  it("leaves no listener on a shared signal: walks, ensures, waits, paths, aborted and late calls", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const lists = { data: [{ id: "x", logicalId: "x" }], pagination: { hasMore: false, nextCursor: null } };
    const { baseUrl } = await startServer(({ method, url }, response) => {
      if (url.endsWith("slow")) return;
      if (url.endsWith("lost")) return void response.destroy();
      const conflict = { error: { code: "project:logical_id_conflict", message: "m" } };
      if (method === "POST") json(response, 409, conflict);
      else json(response, 200, url.endsWith("db_1") ? { data: { id: "db_1", status: "ready" } } : lists);
    });
    const { signal } = new AbortController();
    const client = createClient({ baseUrl, token: false, transport: nodeTransport() });
    const calls = [
      client.projects.list({}, { signal, prefetch: true }).toArray(),
      client.projects.ensure({ logicalId: "x" }, { signal }),
      client.databases.waitUntilReady("db_1", { signal }),
      client.http.GET("/v1/projects", { signal }),
      client.projects.get("lost", { signal }),
      client.projects.get("slow", { signal, timeoutMs: 50 }),
      client.projects.get("x", { signal, token: () => Promise.reject(new Error("no keyring")) }),
    ];
    const ends = await Promise.allSettled(calls);
    expect(ends.map(({ status }) => status === "fulfilled")).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends a call whose transport ignores its signal", async () => {
    const transport: Transport = { send: () => new Promise(() => undefined) };
    const client = createClient({ baseUrl: "https://x.test", token: false, transport, timeoutMs: 20 });
    expect(await thrown(client.me.get())).toBeInstanceOf(TimeoutError);
    const controller = new AbortController();
    const call = thrown(client.me.get({ signal: controller.signal, timeoutMs: 60_000 }));
    controller.abort("enough");
    expect(await call).toMatchObject({ name: "AbortError", cause: "enough" });
  });

  it("aborts the transport, so that nothing continues in the background", async () => {
    const signals: AbortSignal[] = [];
    const transport: Transport = {
      send: ({ signal }) => (signals.push(signal), new Promise(() => undefined)),
    };
    const client = createClient({ baseUrl: "https://x.test", token: false, transport, timeoutMs: 20 });
    await thrown(client.me.get());
    expect(signals[0]?.reason).toBeInstanceOf(TimeoutError);
  });

  it("lets the process end: no timer remains after a finished call", async () => {
    const { baseUrl } = await startServer((_request, response) => json(response, 200, { data: {} }));
    const before = timers();
    await createClient({ baseUrl, token: false, transport: nodeTransport() }).projects.get("x");
    await thrown(createClient({ baseUrl, token: false }).projects.get(".."));
    await vi.waitFor(() => expect(timers()).toBeLessThanOrEqual(before), shorterThanCalls);
  });
});
