import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { type ClientOptions, InvalidArgumentError, type RequestOptions, createClient } from "@mgmt/sdk";
import {
  type AuthenticatorOptions,
  type BrowserStoreOptions,
  type FinishLoginOptions,
  type LogoutOptions,
  type StartLoginOptions,
  browserStore,
  createAuthenticator,
  finishLogin,
  logout,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
import {
  type CliLoginOptions,
  type FileLockOptions,
  type LoopbackLoginOptions,
  cliLogin,
  loginWithLoopback,
  withFileLock,
} from "@mgmt/sdk/auth/node";
import { nodeTransport } from "@mgmt/sdk/node";
import { thrown } from "../../test/server.js";

/** What a JavaScript program passes, which the compiler would refuse. */
const untyped = <T>(value: unknown): T => value as T;

/** Rejects if nothing is thrown: Vitest would take minutes to print a client. */
const caught = (work: () => unknown): Promise<unknown> => thrown((async () => work())());

type EveryLoginOption = StartLoginOptions &
  FinishLoginOptions &
  LoopbackLoginOptions &
  AuthenticatorOptions &
  LogoutOptions;

const work = vi.fn(async () => undefined);
const lock = (options: object): Promise<unknown> =>
  withFileLock(join(tmpdir(), "never-made.lock"), work, untyped(options));

const valid = { baseUrl: "https://x.test", token: false } as const;

describe("an option that does not exist", () => {
  it.each([
    ["timeout", "timeoutMs"],
    ["baseURL", "baseUrl"],
    ["retries", "maxRetries"],
    ["retrys", "maxRetries"],
    ["maxRetrys", "maxRetries"],
    ["maxRetry", "maxRetries"],
    ["maxRetires", "maxRetries"],
    ["maxRetryAfter", "maxRetryAfterMs"],
    ["onRetrys", "onRetry"],
    ["proxy", "transport"],
    ["timeoutInMs", "timeoutMs"],
    ["apiKye", "token"],
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

  it.each(["authUrl", "colour", "to", "mail", "__proto__", "constructor", "0"])(
    "is refused by createClient if it resembles none: %s",
    async (name) => {
      const options: unknown = JSON.parse(
        `{ "baseUrl": "https://x.test", ${JSON.stringify(name)}: { "token": "x" } }`,
      );
      expect(await caught(() => createClient(untyped(options)))).toMatchObject({
        argument: name,
        message: `${name} is not an option of a client`,
        hint: expect.stringContaining("pass only the options in it. Nothing was sent."),
      });
    },
  );

  it("is refused by createClient with a hint at another function that has a similar one", async () => {
    const options = untyped<ClientOptions>({ ...valid, abortSignal: AbortSignal.abort() });
    expect(await caught(() => createClient(options))).toMatchObject({
      message: "abortSignal is not an option of a client",
      hint: expect.stringContaining("Did you mean signal, an option of a call?"),
    });
  });

  it.each([
    ["timeout", "a call", "timeoutMs"],
    ["timeout", "a list", "timeoutMs"],
    ["timeout", "a wait", "timeoutMs"],
    ["timeout", "an ensure", "timeoutMs"],
    ["apiKey", "a call", "token"],
    ["retries", "a list", "maxRetries"],
    ["progress", "a wait", "onProgress"],
    ["idempotencyKey", "a call", "ensure()"],
    ["idempotencyKey", "an ensure", "ensure()"],
    ["idempotency_key", "a call", "ensure()"],
    ["__proto__", "a call", undefined],
    ["__proto__", "a list", undefined],
    ["__proto__", "a wait", undefined],
    ["__proto__", "an ensure", undefined],
    ["colour", "a list", undefined],
    ["prefetch", "a call", undefined],
    ["credentials", "a call", undefined],
    ["maxRetries", "a wait", undefined],
  ])("is refused before anything is sent: %s in the options of %s", async (name, of, meant) => {
    const fetch = vi.fn();
    const client = createClient({ ...valid, fetch });
    const options = untyped<object>(JSON.parse(`{ ${JSON.stringify(name)}: "x" }`));
    const calls: Record<string, (() => unknown)[]> = {
      "a call": [
        () => client.projects.create({ name: "shop" }, options),
        // Its other arguments are not valid either.
        () => client.projects.get("", options),
        () => client.request({ method: "GET", path: "/v1/me" }, options),
        () => client.databases.usage.get("db_1", {}, options),
      ],
      "a list": [
        () => client.regions.list({}, options),
        () => client.regions.listPostgres(options),
        () => client.databases.backups.list("db_1", {}, options),
        () => client.projects.list({}, options),
        () => client.projects.list({}, options).toArray(),
        () => client.requestPages({ method: "GET", path: "/v1/projects" }, options),
      ],
      "a wait": [
        () => client.projects.createAndConnect({}, options),
        () => client.projects.ensureAndConnect({ logicalId: "" }, options),
        () => client.databases.createAndConnect({ projectId: "" }, options),
        () => client.databases.ensureAndConnect(untyped({}), options),
        () => client.databases.waitUntilReady("", options),
        () => client.projects.waitUntilTransferred("", "token", options),
        () => client.services.waitUntilPromoted("", "", options),
        () => client.deployments.waitUntilRunning("", options),
        () => client.deployments.waitUntilStopped("", options),
        () => client.agentApprovals.wait("", options),
      ],
      "an ensure": [
        () => client.projects.ensure({ logicalId: "" }, options),
        () => client.databases.ensure(untyped({}), options),
      ],
    };
    const message = `${name} is not an option of ${of}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
    for (const call of calls[of] ?? []) {
      expect(await caught(call), String(call)).toMatchObject({
        code: "argument:invalid",
        argument: name,
        message,
      });
    }
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each<[string, (options: object) => unknown, object, string]>([
    ["browserStore", browserStore, { keys: "x" }, "keys is not an option of browserStore; did you mean key?"],
    ["browserStore", browserStore, { key: 5 }, "key must be a string"],
    [
      "browserStore",
      browserStore,
      untyped(JSON.parse('{ "__proto__": { "key": "x" } }')),
      "__proto__ is not an option of browserStore",
    ],
    ["browserStore", browserStore, { storage: {} }, "storage must be a Storage, such as localStorage"],
    ["cliLogin", cliLogin, { profil: "x" }, "profil is not an option of cliLogin; did you mean profile?"],
    ["cliLogin", cliLogin, { profile: 5 }, "profile must be a string"],
    ["cliLogin", cliLogin, { allowInsecureHttp: "no" }, "allowInsecureHttp must be true or false"],
    [
      "withFileLock",
      lock,
      { silence: 5 },
      "silence is not an option of withFileLock; did you mean silenceMs?",
    ],
    ["withFileLock", lock, { signal: {} }, "signal must be an AbortSignal"],
    ["withFileLock", lock, { signal: { aborted: false } }, "signal must be an AbortSignal"],
    ["nodeTransport", nodeTransport, { maxSockets: "5" }, "maxSockets must be a number above 0"],
    ["nodeTransport", nodeTransport, { maxSockets: true }, "maxSockets must be a number above 0"],
    ["nodeTransport", nodeTransport, { maxResponseBytes: "5" }, "maxResponseBytes must be a number above 0"],
    ["nodeTransport", nodeTransport, { proxy: null }, "proxy must be a URL, or false"],
    ["nodeTransport", nodeTransport, { proxy: new URL("http://x.test") }, "proxy must be a URL, or false"],
    [
      "nodeTransport",
      nodeTransport,
      { ca: 5 },
      "ca must be a certificate in PEM, or an array of certificates",
    ],
    [
      "nodeTransport",
      nodeTransport,
      { ca: ["x", null] },
      "ca must be a certificate in PEM, or an array of certificates",
    ],
  ])("is refused by %s, as are values of another type: %o", async (_of, call, options, message) => {
    const error = await caught(() => call(options));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ code: "argument:invalid", message });
    expect(work).not.toHaveBeenCalled();
  });

  it("is not one that the types of these functions have", async () => {
    const storage = { getItem: () => null, setItem: vi.fn(), removeItem: vi.fn() };
    const browser: Required<BrowserStoreOptions> = { key: "shop", storage };
    expect(await browserStore(browser).read()).toBeUndefined();
    const cli: Required<CliLoginOptions> = {
      profile: "not a profile",
      allowInsecureHttp: true,
      program: "/usr/bin/mgmt",
    };
    expect(await caught(() => cliLogin(cli))).toMatchObject({ code: "auth:cli_failed" });
    const reason = new Error("stopped");
    const waiting: Required<FileLockOptions> = { signal: AbortSignal.abort(reason), silenceMs: 5 };
    expect(await caught(() => lock(waiting))).toBe(reason);
  });

  it("is refused in waitForApproval, in toArray and in a call by path", async () => {
    const fetch = vi.fn();
    const client = createClient({ ...valid, fetch });
    const waitForApproval = untyped<{ timeoutMs: number }>({ timeout: 5 });
    const calls: [() => unknown, string][] = [
      [
        () => createClient({ ...valid, waitForApproval }),
        "timeout is not an option of waitForApproval; did you mean timeoutMs?",
      ],
      [
        () => client.me.get({ waitForApproval }),
        "timeout is not an option of waitForApproval; did you mean timeoutMs?",
      ],
      [
        () => client.me.get({ waitForApproval: untyped(JSON.parse('{ "__proto__": { "timeoutMs": 5 } }')) }),
        "__proto__ is not an option of waitForApproval",
      ],
      [
        () => client.projects.list().toArray(untyped({ max: 5 })),
        "max is not an option of toArray; did you mean limit?",
      ],
      [() => client.projects.list().toArray(untyped(5)), "options must be a plain object"],
      [
        () => client.http.GET("/v1/me", untyped({ timeout: 5 })),
        "timeout is not an option of a call by path; did you mean timeoutMs?",
      ],
    ];
    for (const [call, message] of calls) expect(await caught(call)).toMatchObject({ message });
    expect(fetch).not.toHaveBeenCalled();
  });

  it("is refused where parameters are expected, with the place for options", async () => {
    const fetch = vi.fn();
    const client = createClient({ ...valid, fetch });
    const { signal } = new AbortController();
    const calls: [() => unknown, string][] = [
      [() => client.projects.list(untyped({ signal })), "signal"],
      [() => client.projects.list(untyped({ timeoutMs: 5 })), "timeoutMs"],
      [() => client.projects.list(untyped({ token: "secret" })), "token"],
      [() => client.databases.usage.get("db_1", untyped({ signal })), "signal"],
      [() => client.request(untyped({ method: "GET", path: "/v1/me", signal })), "signal"],
    ];
    for (const [call, name] of calls) {
      expect(await caught(call), String(call)).toMatchObject({
        argument: name,
        message: `${name} is an option, which is passed in the last argument`,
        hint: expect.stringContaining(`list({}, { ${name} })`),
      });
    }
    expect(
      await caught(() => client.projects.create(untyped({ name: "x", idempotencyKey: "x" }))),
    ).toMatchObject({
      message: "idempotencyKey is not an option of a call; did you mean ensure()?",
      hint: expect.stringContaining("The API has no idempotency keys."),
    });
    expect(await caught(() => client.request(untyped({ method: "GET", url: "/v1/me" })))).toMatchObject({
      message: "url is not an option of a request; did you mean path?",
    });
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

  it("is refused by nodeTransport and the functions of a login if it is similar to none of theirs", async () => {
    expect(await caught(() => nodeTransport(untyped({ timeoutMs: 5 })))).toMatchObject({
      message: "timeoutMs is not an option of nodeTransport",
    });
    const options = { ...login, store: memoryStore(), baseUrl: "https://api.test" };
    expect(await caught(() => createAuthenticator(options))).toMatchObject({
      message: "baseUrl is not an option of a login",
    });
    const parsed: unknown = JSON.parse(
      '{ "__proto__": { "clientId": "app" }, "authUrl": "https://auth.test" }',
    );
    for (const work of [startLogin, finishLogin, createAuthenticator, logout, loginWithLoopback]) {
      expect(await caught(() => work(untyped(parsed)))).toMatchObject({
        message: "__proto__ is not an option of a login",
      });
    }
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

  it("is refused if its value is undefined, because the same program may pass one later", async () => {
    const options = untyped<RequestOptions>({ idempotencyKey: undefined });
    expect(await caught(() => createClient(valid).me.get(options))).toMatchObject({
      argument: "idempotencyKey",
    });
  });
});

describe("an option with a value of the wrong type", () => {
  const { signal } = new AbortController();
  it.each([
    ["timeoutMs", "5", "must be a number above 0", "It is a string."],
    ["timeoutMs", null, "must be a number above 0", "It is null."],
    ["maxRetries", "2", "must be a number above 0, or 0", "It is a string."],
    ["maxRetryAfterMs", [1], "must be a number above 0, or 0", "It is an array."],
    [
      "headers",
      new Headers({ "x-tenant": "a" }),
      "must be a plain object, such as Object.fromEntries(headers)",
      "It is an object.",
    ],
    [
      "headers",
      [["x-tenant", "a"]],
      "must be a plain object, such as Object.fromEntries(headers)",
      "It is an array.",
    ],
    ["token", 5, "must be a string, a function or false", "It is a number."],
    ["token", true, "must be a string, a function or false", "It is a boolean."],
    ["transport", {}, "must be an object with a send() method", "It is an object."],
    ["transport", () => undefined, "must be an object with a send() method", "It is a function."],
    ["middleware", {}, "must be an array of functions", "It is an object."],
    ["middleware", [{}], "must be an array of functions", "It is an array."],
    ["debug", "yes", "must be true, false or a function", "It is a string."],
    ["onRetry", {}, "must be a function", "It is an object."],
    ["waitForApproval", 5, "must be true, false or an object of options", "It is a number."],
  ])(
    "is refused by the client and by a call, without the value: %s %j",
    async (name, value, problem, hint) => {
      const fetch = vi.fn();
      const expected = {
        code: "argument:invalid",
        message: `${name} ${problem}`,
        hint: `${hint} Nothing was sent.`,
      };
      expect(await caught(() => createClient(untyped({ ...valid, [name]: value })))).toMatchObject(expected);
      const client = createClient({ ...valid, fetch });
      expect(await caught(() => client.projects.get("", untyped({ [name]: value })))).toMatchObject(expected);
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  it("is refused by the only function that has the option", async () => {
    const fetch = vi.fn();
    const client = createClient({ ...valid, fetch });
    const login = { authUrl: "https://auth.test", clientId: "app" };
    // What only looks like a signal.
    const signals = [{ aborted: false }, { aborted: true }, { aborted: false, addEventListener: () => {} }];
    const calls: [() => unknown, string][] = [
      [() => createClient(untyped({ ...valid, fetch: "fetch" })), "fetch must be a function"],
      [() => createClient(untyped({ baseUrl: 5 })), "baseUrl must be a string"],
      [
        () => createClient(untyped({ ...valid, allowInsecureHttp: 1 })),
        "allowInsecureHttp must be true or false",
      ],
      [() => client.me.get(untyped({ signal: new AbortController() })), "signal must be an AbortSignal"],
      [() => client.me.get(untyped({ signal: null })), "signal must be an AbortSignal"],
      ...signals.flatMap((signal): typeof calls => [
        [() => client.me.get(untyped({ signal })), "signal must be an AbortSignal"],
        [() => client.projects.list({}, untyped({ signal })), "signal must be an AbortSignal"],
        [() => client.withOptions(untyped({ signal })), "signal must be an AbortSignal"],
        [() => client.databases.waitUntilReady("db_1", untyped({ signal })), "signal must be an AbortSignal"],
        [() => startLogin(untyped({ ...login, signal })), "signal must be an AbortSignal"],
      ]),
      [() => startLogin(untyped({ ...login, signal: {} })), "signal must be an AbortSignal"],
      [() => client.projects.list({}, untyped({ prefetch: "yes" })), "prefetch must be true or false"],
      [
        () => client.projects.ensure({ logicalId: "x" }, untyped({ credentials: 0 })),
        "credentials must be true or false",
      ],
      [
        () => client.databases.waitUntilReady("db_1", untyped({ onProgress: true })),
        "onProgress must be a function",
      ],
      [
        () => client.databases.waitUntilReady("db_1", untyped({ timeoutMs: "5" })),
        "timeoutMs must be a number above 0",
      ],
      [() => client.projects.list().toArray(untyped({ limit: "5" })), "limit must be a number above 0, or 0"],
      [
        () => client.me.get(untyped({ waitForApproval: { pollIntervalMs: "5" } })),
        "pollIntervalMs must be a number above 0",
      ],
      [() => createClient(untyped({ ...valid, waitForApproval: { sleep: 5 } })), "sleep must be a function"],
    ];
    for (const [call, message] of calls) expect(await caught(call), String(call)).toMatchObject({ message });
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each([
    ["a signal", signal],
    ["a number", 5],
    ["text", "x"],
    ["an array", []],
    ["a Map", new Map()],
    ["a function", () => undefined],
  ])("is refused if it takes the place of all options: %s", async (_what, options) => {
    const fetch = vi.fn();
    const client = createClient({ ...valid, fetch });
    const expected = { argument: "options", message: "options must be a plain object" };
    expect(await caught(() => createClient(untyped(options)))).toMatchObject(expected);
    expect(await caught(() => client.me.get(untyped(options)))).toMatchObject(expected);
    expect(await caught(() => client.projects.list({}, untyped(options)))).toMatchObject(expected);
    expect(await caught(() => client.databases.waitUntilReady("db_1", untyped(options)))).toMatchObject(
      expected,
    );
    expect(await caught(() => client.projects.ensure({ logicalId: "x" }, untyped(options)))).toMatchObject(
      expected,
    );
    expect(fetch).not.toHaveBeenCalled();
  });

  it("is not an option that is undefined, in an object from another realm, or one without a prototype", async () => {
    const fetch = vi.fn(async () => Response.json({ data: { id: "x" } }));
    const client = createClient({ ...valid, fetch });
    const foreign: unknown = runInNewContext("({ timeoutMs: 5000, headers: {} })");
    const bare = Object.assign(Object.create(null), { maxRetries: 0, signal: undefined });
    for (const options of [foreign, bare]) await client.projects.get("proj_1", untyped(options));
    expect(fetch).toHaveBeenCalledTimes(2);
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
        hint: expect.stringContaining("Check that baseUrl is the URL of the Management API."),
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

describe("a parameter that the operation of a method does not have", () => {
  const client = createClient(valid);

  it.each<[string, () => PromiseLike<unknown>, string]>([
    ["pageSize", () => client.projects.list(untyped({ pageSize: 5 })), "GET /v1/projects"],
    ["cursr", () => client.projects.list(untyped({ cursr: "a" })), "did you mean cursor?"],
    ["max", () => client.databases.list(untyped({ max: 1 })), "did you mean limit?"],
    ["cursor", () => client.regions.list(untyped({ cursor: "a" })), "GET /v1/regions"],
    ["limit", () => client.projects.list(untyped({ limit: 1, logicalID: "x" })), "did you mean logicalId?"],
    ["start", () => client.databases.usage.get("db_1", untyped({ start: "x" })), "did you mean startDate?"],
    ["__proto__", () => client.projects.list(untyped(JSON.parse('{"__proto__":"x"}'))), "GET /v1/projects"],
  ])("%s is refused", async (_, call, text) => {
    expect(await caught(call)).toMatchObject({
      code: "argument:invalid",
      message: expect.stringMatching(/is not a parameter of/),
      hint: expect.stringContaining("client.requestPages()"),
    });
    expect(String(await caught(call))).toContain(text);
  });

  it("is sent by path, for a newer service", async () => {
    const urls: string[] = [];
    const fetch = async (url: string) => {
      urls.push(url);
      return new Response('{"data":[]}');
    };
    const recording = createClient({ ...valid, fetch });
    await recording.requestPages({ method: "GET", path: "/v1/projects", query: untyped({ newer: "x" }) });
    await recording.projects.list(untyped({ newer: undefined, limit: 1 })).catch(() => undefined);
    expect(urls.map((url) => new URL(url).search)).toEqual(["?newer=x", "?limit=1"]);
  });
});
