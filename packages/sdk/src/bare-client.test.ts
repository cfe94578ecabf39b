import { describe, expect, expectTypeOf, it } from "vitest";
import { getEventListeners } from "node:events";
import {
  ApiError,
  type ClientOptions,
  type MgmtClient,
  type Middleware,
  TimeoutError,
  createClient,
} from "@mgmt/sdk";
import { ProjectsResource, createPartialClient, safely } from "@mgmt/sdk/partial";
import { nodeTransport } from "@mgmt/sdk/node";
import { type Seen, answering, json, startServer, thrown } from "../test/server.js";

const connect = async (options: ClientOptions = {}) => {
  const { baseUrl, seen } = await answering();
  return { client: createClient({ baseUrl, token: "own", ...options }), seen, baseUrl };
};

const headersOf = (seen: Seen[], name: string): unknown[] => seen.map(({ headers }) => headers[name]);

/** Sends nothing back, so that only a deadline or an abort ends a call. */
const hanging = async (options: ClientOptions = {}) => {
  const { baseUrl, seen } = await startServer(() => undefined);
  return { client: createClient({ baseUrl, token: false, ...options }), seen };
};

describe("client.withOptions", () => {
  it("sends the token and headers of the new client, and leaves the old one as it is", async () => {
    const { client, seen } = await connect({ headers: { "x-app": "1", "x-tenant": "none" } });
    const tenant = client.withOptions({ token: "tenant", headers: { "X-Tenant": "t1" } });
    await tenant.projects.get("proj_1");
    await tenant.projects.get("proj_1", { headers: { "x-tenant": "t2" }, token: "call" });
    await client.projects.get("proj_1");
    expect(headersOf(seen, "authorization")).toEqual(["Bearer tenant", "Bearer call", "Bearer own"]);
    expect(headersOf(seen, "x-tenant")).toEqual(["t1", "t2", "none"]);
    expect(headersOf(seen, "x-app")).toEqual(["1", "1", "1"]);
  });

  it("shares the transport", async () => {
    const transport = nodeTransport();
    const { client, seen } = await connect({ transport });
    let sent = 0;
    const counting = createClient({
      baseUrl: "https://x.test",
      token: "own",
      transport: {
        send: async () => {
          sent += 1;
          return { status: 200, headers: {}, body: '{"data":{}}' };
        },
      },
    });
    await counting.withOptions({ token: "tenant" }).me.get();
    await client.withOptions({ token: "tenant" }).me.get();
    expect(sent).toBe(1);
    expect(seen).toHaveLength(1);
    transport.close();
  });

  it("runs the new middleware inside that of the old client", async () => {
    const order: string[] = [];
    const noting =
      (name: string): Middleware =>
      (request, next) => {
        order.push(name);
        return next(request);
      };
    const { client } = await connect({ middleware: [noting("client")] });
    const tenant = client.withOptions({ middleware: [noting("tenant")] });
    await tenant.me.get({ middleware: [noting("call")] });
    await client.me.get();
    expect(order).toEqual(["client", "tenant", "call", "client"]);
  });

  it("keeps each option that is undefined", async () => {
    const { client, seen } = await connect({ headers: { "x-app": "1" } });
    const same = client.withOptions({ token: undefined, headers: undefined, timeoutMs: undefined });
    await same.me.get();
    expect(headersOf(seen, "authorization")).toEqual(["Bearer own"]);
    expect(headersOf(seen, "x-app")).toEqual(["1"]);
  });

  it("sets the deadline of calls", async () => {
    const { client } = await hanging();
    const hasty = client.withOptions({ timeoutMs: 20 });
    expect(await thrown(hasty.me.get())).toMatchObject({ code: "connection:timeout", timeoutMs: 20 });
    expect(await thrown(hasty.me.get({ timeoutMs: 10 }))).toMatchObject({ timeoutMs: 10 });
    expect(await thrown(hasty.me.get())).toBeInstanceOf(TimeoutError);
  });

  it("ends calls by the signal of the client, of a client above it, and of the call", async () => {
    const { client, seen } = await hanging();
    for (const which of [0, 1, 2]) {
      const controllers = [0, 1, 2].map(() => new AbortController());
      const [outer, inner, own] = controllers.map(({ signal }) => signal);
      const tenant = client.withOptions({ signal: outer }).withOptions({ signal: inner });
      const before = seen.length;
      const call = thrown(tenant.me.get({ signal: own }));
      while (seen.length === before) await new Promise((resolve) => setImmediate(resolve));
      const reason = new Error(`of ${which}`);
      controllers[which]?.abort(reason);
      expect(await call).toBe(reason);
      for (const { signal } of controllers) expect(getEventListeners(signal, "abort")).toEqual([]);
    }
  });

  it("sends nothing once its signal is aborted", async () => {
    const { client, seen } = await connect();
    const reason = new Error("The user left.");
    const tenant = client.withOptions({ signal: AbortSignal.abort(reason) });
    for (const work of [
      () => tenant.me.get(),
      () => tenant.projects.list().toArray(),
      () => tenant.http.GET("/v1/me"),
      () => tenant.request({ method: "GET", path: "/v1/me" }),
      () => tenant.requestPages({ method: "GET", path: "/v1/projects" }),
      () => tenant.databases.waitUntilReady("db_1"),
      () => tenant.projects.ensure({ logicalId: "shop" }),
      () => tenant.safe.me.get(),
    ]) {
      expect(await thrown(Promise.resolve().then(work))).toBe(reason);
    }
    expect(seen).toEqual([]);
  });

  it("ends the pause of a wait, and an ensure, by its signal", async () => {
    const { baseUrl, seen } = await startServer((request, response) =>
      request.method === "GET"
        ? json(response, 200, { data: { id: "db_1", status: "provisioning" } })
        : undefined,
    );
    const client = createClient({ baseUrl, token: false });
    const controller = new AbortController();
    const reason = new Error("The user left.");
    const tenant = client.withOptions({ signal: controller.signal });
    const ends: Promise<unknown>[] = [];
    const waiting = new Promise<void>((resolve) => {
      const options = { pollIntervalMs: 600_000, onProgress: () => resolve() };
      ends.push(thrown(tenant.databases.waitUntilReady("db_1", options)));
      ends.push(thrown(tenant.projects.ensure({ logicalId: "shop" })));
    });
    await waiting;
    while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    expect(await Promise.all(ends)).toEqual([reason, reason]);
  });

  it("ends a body that is still being read", async () => {
    const { baseUrl } = await startServer((_, response) => void response.writeHead(200).write("first"));
    const controller = new AbortController();
    const tenant = createClient({ baseUrl, token: false }).withOptions({ signal: controller.signal });
    const response = await tenant.request({ method: "GET", path: "/v1/logs" }).asResponse();
    const text = thrown(response.text());
    const reason = new Error("The user left.");
    controller.abort(reason);
    expect(await text).toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("has client.safe, and is typed as the client", async () => {
    const { baseUrl } = await answering({ error: { code: "project:not_found", message: "Gone." } }, 404);
    const tenant = createClient({ baseUrl, token: "own" }).withOptions({ token: "tenant" });
    expectTypeOf(tenant).toEqualTypeOf<MgmtClient>();
    const { error } = await tenant.safe.projects.get("proj_1");
    expect(error).toBeInstanceOf(ApiError);
  });

  it("works for clients of some resources", async () => {
    const { baseUrl, seen } = await answering();
    const client = createPartialClient({ projects: ProjectsResource }, { baseUrl, token: "own" });
    const tenant = client.withOptions({ token: "tenant" });
    expectTypeOf(tenant).toEqualTypeOf<typeof client>();
    await tenant.projects.get("proj_1");
    const { data } = await safely(tenant.withOptions({ token: false })).projects.get("proj_1");
    expect(data).toEqual({ id: "proj_1" });
    expect(headersOf(seen, "authorization")).toEqual(["Bearer tenant", undefined]);
  });

  it("refuses unknown options and values of the wrong type, and says which was meant", async () => {
    const { client, seen } = await connect();
    const refused = (options: unknown): unknown => {
      try {
        // JavaScript callers can pass anything.
        client.withOptions(options as object);
      } catch (error) {
        return error;
      }
      return undefined;
    };
    expect(refused({ apiKey: "secret" })).toMatchObject({
      code: "argument:invalid",
      argument: "apiKey",
      message: "apiKey is not an option of withOptions; did you mean token?",
    });
    expect(refused({ baseUrl: "https://other.test" })).toMatchObject({ argument: "baseUrl" });
    expect(refused({ timeout: 5 })).toMatchObject({ argument: "timeout" });
    expect(refused({ timeoutMs: "5" })).toMatchObject({ argument: "timeoutMs" });
    expect(refused({ timeoutMs: 0 })).toMatchObject({ argument: "timeoutMs" });
    expect(refused({ signal: new AbortController() })).toMatchObject({ argument: "signal" });
    expect(refused({ headers: { "x-a": "line\nbreak" } })).toMatchObject({ argument: 'headers["x-a"]' });
    expect(refused(undefined)).toMatchObject({ argument: "options" });
    expect(refused(JSON.parse('{"__proto__":{"token":"stolen"}}'))).toMatchObject({
      argument: "__proto__",
    });
    expect(seen).toEqual([]);
  });
});
