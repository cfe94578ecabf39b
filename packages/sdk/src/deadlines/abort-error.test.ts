import { describe, expect, it } from "vitest";
import { createClient } from "@mgmt/sdk";
import { finishLogin, startLogin } from "@mgmt/sdk/auth";
import { nodeTransport } from "@mgmt/sdk/node";
import { json, startServer, thrown } from "../../test/server.js";

/** Reasons that are no errors, as programs pass them in JavaScript and TypeScript. */
const reasons: [string, unknown][] = [
  ["a string", "enough"],
  ["null", null],
  ["a number", 42],
  ["an object", { why: "enough" }],
];

/** Starts a server that sends headers and the first byte of a body to `/logs`, and nothing to other requests. */
const start = async () => {
  const { baseUrl, seen } = await startServer(({ url }, response) => {
    if (url.endsWith("/logs")) response.writeHead(200).write("1");
    if (url.endsWith("/db_1")) json(response, 200, { data: { id: "db_1", status: "provisioning" } });
  });
  const client = createClient({ baseUrl, token: false });
  const overNode = createClient({ baseUrl, token: false, transport: nodeTransport() });
  const oauth = { authUrl: baseUrl, clientId: "app", redirectUri: "https://app.test/callback" };
  const attempt = { state: "s", codeVerifier: "v", redirectUri: oauth.redirectUri, scopes: [] };
  const works: [string, (signal: AbortSignal) => PromiseLike<unknown>][] = [
    ["a call", (signal) => client.projects.get("proj_1", { signal })],
    ["a call of client.safe", (signal) => client.safe.projects.get("proj_1", { signal })],
    ["a call over node:http", (signal) => overNode.projects.get("proj_1", { signal })],
    ["a call by path", (signal) => client.http.GET("/v1/me", { signal })],
    ["a list", (signal) => client.projects.list({}, { signal }).toArray()],
    ["the response of a call", (signal) => client.me.get({ signal }).withResponse()],
    ["a wait", (signal) => client.databases.waitUntilReady("db_1", { signal })],
    ["an ensure", (signal) => client.projects.ensure({ logicalId: "shop" }, { signal })],
    ["a client with the signal", (signal) => client.withOptions({ signal }).projects.get("proj_1")],
    ["a login", (signal) => startLogin({ ...oauth, signal })],
    ["the end of a login", (signal) => finishLogin({ ...oauth, attempt, callback: { code: "c" }, signal })],
    [
      "a body that is read",
      async (signal) => {
        const response = await client.request({ method: "GET", path: "/v1/logs" }, { signal }).asResponse();
        return response.text();
      },
    ],
  ];
  return { works, seen };
};

/** A signal of a polyfill that is older than `reason` and `throwIfAborted`. */
class OldSignal extends EventTarget {
  aborted = false;

  abort(): void {
    this.aborted = true;
    this.dispatchEvent(new Event("abort"));
  }

  get typed(): AbortSignal {
    // The types have the newer members, too.
    return this as unknown as AbortSignal;
  }
}

describe("an abort reason that is not an error", () => {
  it.each(reasons)("is the cause of an AbortError: %s", async (_, reason) => {
    const { works, seen } = await start();
    for (const [name, work] of works) {
      const early = await thrown(work(AbortSignal.abort(reason)));
      expect(early, name).toBeInstanceOf(Error);
      expect(early, name).toMatchObject({ name: "AbortError", message: "The operation was aborted" });
      expect(Reflect.get(Object(early), "cause"), name).toBe(reason);
      const before = seen.length;
      const controller = new AbortController();
      const late = thrown(work(controller.signal));
      while (seen.length === before) await new Promise((resolve) => setImmediate(resolve));
      controller.abort(reason);
      expect(await late, name).toMatchObject({ name: "AbortError", cause: reason });
      expect(await late, name).toBeInstanceOf(Error);
    }
  });

  it("is undefined for a signal of a polyfill without reasons", async () => {
    const { works, seen } = await start();
    for (const [name, work] of works) {
      const early = new OldSignal();
      early.abort();
      const signal = new OldSignal();
      const before = seen.length;
      const late = thrown(work(signal.typed));
      while (seen.length === before) await new Promise((resolve) => setImmediate(resolve));
      signal.abort();
      for (const error of [await thrown(work(early.typed)), await late]) {
        expect(error, name).toBeInstanceOf(Error);
        expect(error, name).toMatchObject({ name: "AbortError" });
      }
    }
  });
});

describe("an abort reason that is an error", () => {
  it.each([
    ["an error of the caller", new RangeError("The user left.")],
    ["a DOMException", new DOMException("Too late.", "TimeoutError")],
  ])("is thrown unchanged: %s", async (_, reason) => {
    const { works, seen } = await start();
    for (const [name, work] of works) {
      expect(await thrown(work(AbortSignal.abort(reason))), name).toBe(reason);
      const before = seen.length;
      const controller = new AbortController();
      const late = thrown(work(controller.signal));
      while (seen.length === before) await new Promise((resolve) => setImmediate(resolve));
      controller.abort(reason);
      expect(await late, name).toBe(reason);
    }
  });

  it("is the AbortError of the platform if the caller passes none", async () => {
    const { works } = await start();
    for (const [name, work] of works) {
      const { signal } = new AbortController();
      const controller = new AbortController();
      controller.abort();
      expect(signal.aborted).toBe(false);
      const error = await thrown(work(controller.signal));
      expect(error, name).toBe(controller.signal.reason);
      expect(error, name).toBeInstanceOf(DOMException);
    }
  });
});
