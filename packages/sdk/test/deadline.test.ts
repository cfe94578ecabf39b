import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { ConnectionError, TimeoutError, type Transport, createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { json, startServer, thrown } from "./server.js";

const transports: [string, () => Transport | undefined][] = [
  ["fetch", () => undefined],
  ["nodeTransport", () => nodeTransport()],
];

describe.each(transports)("a deadline over %s", (_, transport) => {
  it("ends a call whose headers never come", async () => {
    const { baseUrl } = await startServer(() => undefined);
    const client = createClient({ baseUrl, transport: transport(), timeoutMs: 40 });
    const error = await thrown(client.projects.list({ limit: 3 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      name: "TimeoutError",
      code: "connection:timeout",
      timeoutMs: 40,
      message: `GET ${baseUrl}/v1/projects got no whole answer within 40 ms`,
    });
  });

  it("ends a call whose body stops half-way", async () => {
    const { baseUrl } = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":');
    });
    const client = createClient({ baseUrl, transport: transport() });
    expect(await thrown(client.projects.get("x", { timeoutMs: 40 }))).toBeInstanceOf(TimeoutError);
  });

  it("is not there when it is Infinity, and may be longer than timers can be", async () => {
    const { baseUrl } = await startServer((_request, response) => json(response, 200, { data: { id: "x" } }));
    const client = createClient({ baseUrl, transport: transport(), timeoutMs: Number.POSITIVE_INFINITY });
    expect(await client.projects.get("x")).toEqual({ id: "x" });
    expect(await client.projects.get("x", { timeoutMs: 2 ** 40 })).toEqual({ id: "x" });
  });

  it("gives way to the caller, whose reason is thrown: before the call, without headers, within the body", async () => {
    const { baseUrl, seen } = await startServer(({ url }, response) => {
      if (!url.endsWith("body")) return;
      response.writeHead(200);
      response.write("{");
    });
    const client = createClient({ baseUrl, transport: transport() });
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

  it("throws an AbortError when the caller gives no reason", async () => {
    const { baseUrl } = await startServer(() => undefined);
    const controller = new AbortController();
    const client = createClient({ baseUrl, transport: transport() });
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
    const client = createClient({ baseUrl, transport: transport() });
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
  it("ends a call whose transport ignores its signal", async () => {
    const transport: Transport = { send: () => new Promise(() => undefined) };
    const client = createClient({ baseUrl: "http://x.test", transport, timeoutMs: 20 });
    expect(await thrown(client.me.get())).toBeInstanceOf(TimeoutError);
    const controller = new AbortController();
    const call = thrown(client.me.get({ signal: controller.signal, timeoutMs: 60_000 }));
    controller.abort("enough");
    expect(await call).toBe("enough");
  });

  it("tells the transport, so that nothing goes on behind", async () => {
    const signals: AbortSignal[] = [];
    const transport: Transport = {
      send: ({ signal }) => (signals.push(signal), new Promise(() => undefined)),
    };
    const client = createClient({ baseUrl: "http://x.test", transport, timeoutMs: 20 });
    await thrown(client.me.get());
    expect(signals[0]?.reason).toBeInstanceOf(TimeoutError);
  });

  it("lets the process end: no timer stays behind a finished call", async () => {
    const { baseUrl } = await startServer((_request, response) => json(response, 200, { data: {} }));
    const before = process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
    await createClient({ baseUrl, transport: nodeTransport() }).projects.get("x");
    await thrown(createClient({ baseUrl }).projects.get(".."));
    const after = process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
    expect(after).toBeLessThanOrEqual(before);
  });
});
