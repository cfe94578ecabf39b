import { createServer } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { type ClientOptions, InvalidArgumentError, type RequestOptions, createClient } from "@mgmt/sdk";
import {
  type AuthenticatorOptions,
  type FinishLoginOptions,
  type LogoutOptions,
  type StartLoginOptions,
  createAuthenticator,
  finishLogin,
  logout,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
import { type LoopbackLoginOptions, loginWithLoopback } from "@mgmt/sdk/auth/node";
import { nodeTransport } from "@mgmt/sdk/node";
import { thrown } from "./server.js";

/** What a JavaScript program passes, which the compiler would refuse. */
const untyped = <T>(value: unknown): T => value as T;

/** Rejects if nothing is thrown: Vitest would take minutes to print a client. */
const caught = (work: () => unknown): Promise<unknown> => thrown((async () => work())());

type EveryLoginOption = StartLoginOptions &
  FinishLoginOptions &
  LoopbackLoginOptions &
  AuthenticatorOptions &
  LogoutOptions;

const valid = { baseUrl: "https://x.test", token: false } as const;

describe("an option that does not exist", () => {
  it.each([
    ["timeout", "timeoutMs"],
    ["baseURL", "baseUrl"],
    ["retries", "maxRetries"],
    ["accessToken", "token"],
    ["header", "headers"],
    ["middlewares", "middleware"],
    ["tokne", "token"],
  ])("is refused by createClient, which names the one that was meant: %s", async (name, meant) => {
    const error = await caught(() => createClient(untyped<ClientOptions>({ ...valid, [name]: 5 })));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({
      code: "argument:invalid",
      argument: name,
      message: `${name} is not an option of a client; did you mean ${meant}?`,
      hint: expect.stringContaining("baseUrl, token, fetch"),
    });
  });

  it("is ignored if it resembles no option, because programs pass objects with other fields", () => {
    const server = { ...valid, authUrl: "http://localhost", clientId: "app", region: "eu" };
    expect(() => createClient(untyped<ClientOptions>(server))).not.toThrow();
    const almost = { ...valid, to: "a part of token", mail: "begins like maxRetries" };
    expect(() => createClient(untyped<ClientOptions>(almost))).not.toThrow();
  });

  it("is refused by every kind of call before anything is sent", async () => {
    const fetch = vi.fn();
    const client = createClient({ ...valid, fetch });
    const options = untyped<RequestOptions>({ timeout: 5 });
    const calls = [
      () => client.projects.get("proj_1", options),
      () => client.projects.list({}, options),
      () => client.projects.ensure({ logicalId: "shop" }, options),
      () => client.databases.waitUntilReady("db_1", untyped({ timeout: 5 })),
      () => client.request({ method: "GET", path: "/v1/me" }, options),
    ];
    for (const call of calls) {
      const message = "timeout is not an option of a call; did you mean timeoutMs?";
      expect(await caught(call), String(call)).toMatchObject({ code: "argument:invalid", message });
    }
    expect(fetch).not.toHaveBeenCalled();
  });

  it("is an error in a call even if the client accepts it, so that no call sends its token elsewhere", async () => {
    const fetch = vi.fn();
    const client = createClient({ ...valid, fetch });
    const elsewhere = untyped<RequestOptions>({ baseUrl: "https://other.test" });
    expect(await caught(() => client.me.get(elsewhere))).toMatchObject({
      argument: "baseUrl",
      message: "baseUrl is not an option of a call",
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  const login = { authUrl: "https://auth.test", clientId: "app" };
  const redirectUri = "https://app.test/callback";
  it.each([
    ["startLogin", "redirectURI", "redirectUri", startLogin],
    ["startLogin", "scope", "scopes", startLogin],
    ["startLogin", "timeout", "timeoutMs", startLogin],
    ["finishLogin", "callbackUrl", "callback", finishLogin],
    ["createAuthenticator", "client_id", "clientId", createAuthenticator],
    ["createAuthenticator", "tokenStore", "store", createAuthenticator],
    ["logout", "tokenStore", "store", logout],
    ["loginWithLoopback", "userTimeout", "userTimeoutMs", loginWithLoopback],
    ["nodeTransport", "maxSocket", "maxSockets", nodeTransport],
    ["nodeTransport", "proxyUrl", "proxy", nodeTransport],
  ])("is refused by %s, which names the one that was meant: %s", async (of, name, meant, work) => {
    const fetch = vi.fn();
    const options = of === "nodeTransport" ? {} : { ...login, fetch };
    const error = await caught(() => work(untyped({ ...options, [name]: "x" })));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({
      code: "argument:invalid",
      argument: name,
      message: `${name} is not an option of ${of === "nodeTransport" ? of : "a login"}; did you mean ${meant}?`,
      hint: expect.stringContaining(meant),
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  it("is ignored by nodeTransport and the functions of a login if it is similar to none of theirs", () => {
    expect(() => nodeTransport(untyped({ timeoutMs: 5 }))).not.toThrow();
    const options = { ...login, store: memoryStore(), baseUrl: "https://api.test" };
    expect(() => createAuthenticator(options)).not.toThrow();
  });

  it("is not one that another function of a login has, so that a program can pass one object to all of them", async () => {
    const every: Required<EveryLoginOption> = {
      ...login,
      allowInsecureHttp: false,
      redirectUri,
      clientSecret: "secret",
      scopes: [],
      attempt: untyped({}),
      callback: "",
      store: memoryStore(),
      open: vi.fn(),
      endpoints: { authorization: "https://auth.test/authorize", token: "https://auth.test/token" },
      fetch: vi.fn(),
      transport: nodeTransport(),
      timeoutMs: 1_000,
      userTimeoutMs: 1_000,
      signal: AbortSignal.abort("stopped"),
      onBackgroundError: vi.fn(),
    };
    expect(() => createAuthenticator(every)).not.toThrow();
    expect(await startLogin(every)).toMatchObject({ attempt: { redirectUri } });
  });

  it("is ignored if its value is undefined", async () => {
    expect(() => createClient(untyped<ClientOptions>({ ...valid, timeout: undefined }))).not.toThrow();
  });
});

describe("a test double of fetch that returns no whole Response", () => {
  const text = async () => "{}";
  it.each([
    ["nothing", undefined, "it returned undefined"],
    ["null", null, "it returned null"],
    ["a string", "ok", "it returned ok"],
    ["no status", { ok: true, json: text }, "what it returned has no status"],
    ["no headers", { status: 200, text }, "what it returned has no Headers"],
    ["null as headers", { status: 200, headers: null, text }, "what it returned has no Headers"],
    ["headers as a plain object", { status: 404, headers: {}, text }, "what it returned has no Headers"],
    ["json() only", { status: 200, headers: new Headers(), json: text }, "what it returned has no text()"],
  ])("is named, and not called again: %s", async (_what, response, missing) => {
    const fetch = vi.fn(async () => untyped<Response>(response));
    const client = createClient({ ...valid, fetch });
    expect(await caught(() => client.projects.get("proj_1"))).toMatchObject({
      code: "argument:invalid",
      argument: "fetch",
      message: `fetch must return a Response, but ${missing}`,
      hint: expect.stringContaining("new Response(body, { status, headers })"),
    });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("is named for the global fetch, too", async () => {
    vi.stubGlobal("fetch", vi.fn());
    try {
      const client = createClient(valid);
      expect(await caught(() => client.me.get())).toMatchObject({ argument: "fetch" });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("is accepted if it has what the SDK reads", async () => {
    const fetch = async () =>
      untyped<Response>({
        status: 200,
        headers: new Map([["x-request-id", "req_1"]]),
        text: async () => '{"data":{"id":"u"}}',
      });
    const client = createClient({ ...valid, fetch });
    const { data, response } = await client.projects.get("proj_1").withResponse();
    expect([data, response.requestId]).toEqual([{ id: "u" }, "req_1"]);
  });
});

describe("a wrong base URL", () => {
  it.each(["https://x.test/v1", "https://x.test/v1/", "https://x.test/api/v1"])(
    "%s is refused",
    async (baseUrl) => {
      expect(await caught(() => createClient({ baseUrl }))).toMatchObject({
        code: "argument:invalid",
        argument: "baseUrl",
        message: expect.stringContaining("nor end in /v1"),
      });
    },
  );

  it("is named when a website responds with a page", async () => {
    const server = createServer((request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.statusCode = request.url === "/v1/me" ? 200 : 404;
      response.end("<!doctype html><title>Sign in</title>");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    try {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      // A trailing slash changes nothing.
      const client = createClient({ baseUrl: `http://127.0.0.1:${String(port)}/`, token: false });
      expect(await caught(() => client.me.get())).toMatchObject({
        code: "response:invalid",
        message: "GET /v1/me returned status 200, but the body is not JSON (text/html)",
        hint: expect.stringContaining("Check that baseUrl is the address of the Management API."),
      });
      expect(await caught(() => client.projects.get("proj_1"))).toMatchObject({
        code: "http:404",
        message: "GET /v1/projects/{id} failed with status 404 (text/html)",
        hint: expect.stringContaining("check baseUrl"),
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
