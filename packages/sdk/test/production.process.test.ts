import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { programOptions, setupBuilds } from "./build.js";

const { makeFolder } = setupBuilds();

/** Prints what each call throws, and how many requests were sent. */
const programOf = (clients: string): string => `
  import { connectionString, createClient } from "@mgmt/sdk";
  import { browserStore, createAuthenticator, memoryStore, startLogin } from "@mgmt/sdk/auth";
  import { ProjectsResource, createPartialClient } from "@mgmt/sdk/partial";
  let sent = 0;
  const valid = {
    baseUrl: "https://api.test",
    token: "t",
    fetch: async () => {
      sent += 1;
      return Response.json({ data: [], pagination: { hasMore: false } });
    },
  };
  const client = ${clients};
  const clientWith = (options) => createClient({ ...valid, ...options });
  const withOptions = (options) => client.withOptions(options);
  const login = {
    authUrl: "https://auth.test",
    clientId: "app",
    redirectUri: "https://app.test/",
    endpoints: { authorization: "https://auth.test/authorize", token: "https://auth.test/token" },
  };
  const connection = { host: "db.test", user: "u", pass: "p" };
  const calls = {
    // A client checks its options at its first call.
    client: () => clientWith({ apiKey: "k" }).projects.get("proj_1"),
    partial: () => createPartialClient({ projects: ProjectsResource }, { ...valid, apiKey: "k" }).projects.get("proj_1"),
    clientType: () => clientWith({ timeoutMs: "5" }).projects.get("proj_1"),
    clientHeaders: () => clientWith({ headers: new Headers() }).projects.get("proj_1"),
    clientPath: () => clientWith({ debug: "yes" }).http.GET("/v1/projects"),
    secondClient: () => clientWith({ apiKey: "k" }).withOptions({ timeoutMs: 5 }).projects.get("proj_1"),
    baseUrl: () => createClient({ ...valid, baseUrl: "https://user:secret@api.test" }),
    withOptions: () => withOptions({ timeout: 5 }).projects.get("proj_1"),
    withOptionsBaseUrl: () => withOptions({ baseUrl: "https://elsewhere.test" }).projects.get("proj_1"),
    withOptionsToken: () => withOptions({ token: null }).projects.get("proj_1"),
    withOptionsLoad: () => withOptions({ load: 5 }).projects.get("proj_1"),
    call: () => client.projects.get("proj_1", { timeout: 5 }),
    callBaseUrl: () => client.projects.get("proj_1", { baseUrl: "https://elsewhere.test" }),
    callPrefetch: () => client.projects.get("proj_1", { prefetch: true }),
    callTimers: () => client.projects.get("proj_1", { timers: globalThis }),
    callLoad: () => client.projects.get("proj_1", { load() {} }),
    callSignals: () => client.projects.get("proj_1", { signals: [] }),
    callUnchecked: () => client.projects.get("proj_1", { unchecked: [] }),
    callPrototype: () => client.projects.get("proj_1", JSON.parse('{"__proto__":{"timeoutMs":5}}')),
    callToString: () => client.projects.get("proj_1", { toString() {} }),
    callBrace: () => client.projects.get("proj_1", { "x{": 5 }),
    callType: () => client.projects.get("proj_1", { timeoutMs: "5" }),
    callController: () => client.projects.get("proj_1", { signal: new AbortController() }),
    callHeaders: () => client.projects.get("proj_1", { headers: null }),
    callDebug: () => client.projects.get("proj_1", { debug: "yes" }),
    create: () => client.projects.create({ name: "shop" }, { idempotencyKey: "k" }),
    createBody: () => client.projects.create({ name: "shop", idempotencyKey: "k" }),
    createHeader: () => client.projects.create({ name: "shop", "Idempotency-Key": "k" }),
    createSnake: () => client.projects.create({ name: "shop", idempotency_key: "k" }),
    ensure: () => client.projects.ensure({ logicalId: "shop" }, { idempotencyKey: "k" }),
    wait: () => client.projects.waitUntilTransferred("proj_1", "t", { maxRetrys: 5 }),
    waitType: () => client.projects.waitUntilTransferred("proj_1", "t", { timeoutMs: "5" }),
    list: () => client.projects.list({}, { retries: 5 }),
    listType: () => client.projects.list({}, { prefetch: "yes" }),
    listSignal: () => client.projects.list({ signal: new AbortController().signal }),
    listTimeout: () => client.projects.list({ timeoutMs: 5 }),
    listParameter: () => client.projects.list({ limits: 5 }),
    toArray: () => client.projects.list({}, { retries: 5 }).toArray(),
    toArrayName: () => client.projects.list().toArray({ limits: 5 }),
    path: () => client.request({ method: "GET", path: "/v1/me" }, { timeout: 5 }),
    pathClient: () => createClient(valid).http.GET("/v1/projects", { timeoutMs: "5" }),
    undefined: () => client.projects.get("proj_1", { timeout: undefined }),
    slash: () => client.request({ method: "GET", path: "v1/me" }),
    getBody: () => client.request({ method: "GET", path: "/v1/me", body: {} }),
    cycle: () => client.projects.create({ name: 5n }),
    dots: () => client.projects.get(".."),
    surrogate: () => client.projects.get("\\ud800"),
    loginClient: () => startLogin({ ...login, clientId: "" }),
    loginAddress: () => startLogin({ ...login, authUrl: "auth.test" }),
    login: () => startLogin({ ...login, scope: "workspace:admin" }),
    loginType: () => startLogin({ ...login, scopes: "workspace:admin" }),
    authenticator: () => {
      const { authUrl: issuer, clientId } = login;
      const expired = { accessToken: "a", refreshToken: "r", expiresAt: 1, scopes: [], issuer, clientId };
      return createAuthenticator({ ...login, store: memoryStore(expired), onBackgroundErrors() {} }).token();
    },
    browserStore: () => browserStore({ storge: 5 }),
    connectionString: () => connectionString(connection, { pool: true }),
  };
  const thrown = {};
  for (const [name, call] of Object.entries(calls)) {
    thrown[name] = await (async () => call())().then(() => "nothing", (error) => [error.code, error.message]);
  }
  const refused = sent;
  const every = { timeoutMs: 5000, maxRetries: 1, maxRetryAfterMs: 5, onRetry() {}, headers: {}, middleware: [], debug: false, waitForApproval: false };
  const all = createClient({ ...valid, ...every, allowInsecureHttp: false, timers: globalThis });
  await all.projects.list({}, { ...every, token: "u", signal: new AbortController().signal, prefetch: true });
  await all.withOptions({ ...every, token: async () => "u", signal: undefined }).projects.list({ limit: 5 });
  await all.request({ method: "GET", path: "/v1/new", query: { newParameter: true } });
  await all.request({ method: "POST", path: "/v1/new", body: { name: "idempotencyKey", nested: { idempotencyKey: "k" } } });
  await createClient(valid).http.GET("/v1/projects", { params: { query: { limit: 5 } }, timeoutMs: 5000 });
  const accepted = sent - refused;
  const mistakes = {
    clientSignal: () => clientWith({ signal: AbortSignal.timeout(5) }).projects.get("proj_1"),
    clientInsecure: () => clientWith({ allowInsecureHttp: "yes" }).projects.get("proj_1"),
    callOptions: () => client.projects.get("proj_1", 5),
    toArrayType: () => client.projects.list().toArray({ limit: "5" }),
    requestName: () => client.request({ method: "GET", path: "/v1/me", timeout: 5 }),
    requestType: () => client.request({ method: 5, path: "/v1/me" }),
    browserStoreType: () => browserStore({ key: 5 }),
    connectionStringType: () => connectionString(connection, { pooled: "" }),
  };
  const unnoticed = [];
  for (const [name, call] of Object.entries(mistakes)) {
    await (async () => call())().then(() => unnoticed.push(name), () => undefined);
  }
  console.log(JSON.stringify({ thrown, refused, accepted, unnoticed, mistakes: Object.keys(mistakes) }));
`;

interface Results {
  thrown: Record<string, unknown>;
  refused: number;
  accepted: number;
  mistakes: string[];
  unnoticed: string[];
}

describe("a production build for a browser", () => {
  const results: Record<string, Results> = {};
  beforeAll(async () => {
    const clients = {
      createClient: "createClient(valid)",
      createPartialClient: "createPartialClient({ projects: ProjectsResource }, valid)",
    };
    for (const [name, source] of Object.entries(clients)) {
      const folder = await makeFolder();
      await writeFile(join(folder, "package.json"), `{ "type": "module" }`);
      await build({
        ...programOptions(programOf(source)),
        alias: {},
        // The root's tsconfig would resolve the package to its sources.
        tsconfigRaw: {},
        platform: "browser",
        minify: true,
        splitting: true,
        outdir: folder,
      });
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "stdin.js")]);
      results[name] = JSON.parse(stdout);
    }
  });

  it.each(["createClient", "createPartialClient"])(
    "refuses what is invalid before anything is sent: %s",
    (name) => {
      const messages = Object.entries(results[name]?.thrown ?? {}).map(
        ([call, error]) => `${call}: ${String(error)}`,
      );
      expect(messages.map((message) => message.replace("argument:invalid,", ""))).toEqual([
        "client: apiKey is not an option of a client; did you mean token?",
        "partial: apiKey is not an option of a client; did you mean token?",
        "clientType: timeoutMs must be a number above 0",
        "clientHeaders: headers must be a plain object, such as Object.fromEntries(headers)",
        "clientPath: debug must be true, false or a function",
        "secondClient: apiKey is not an option of a client; did you mean token?",
        "baseUrl: baseUrl must be a URL without credentials, query or /v1",
        "withOptions: timeout is not an option of withOptions; did you mean timeoutMs?",
        "withOptionsBaseUrl: baseUrl is not an option of withOptions",
        "withOptionsToken: token must be a string, a function or false",
        "withOptionsLoad: load is not an option of withOptions",
        "call: timeout is not an option of a call; did you mean timeoutMs?",
        "callBaseUrl: baseUrl is not an option of a call",
        "callPrefetch: prefetch is not an option of a call",
        "callTimers: timers is not an option of a call; did you mean timeoutMs?",
        "callLoad: load is not an option of a call",
        "callSignals: signals is not an option of a call; did you mean signal?",
        "callUnchecked: unchecked is not an option of a call",
        "callPrototype: __proto__ is not an option of a call",
        "callToString: toString is not an option of a call",
        "callBrace: x{ is not an option of a call",
        "callType: timeoutMs must be a number above 0",
        "callController: signal must be an AbortSignal",
        "callHeaders: headers must be a plain object, such as Object.fromEntries(headers)",
        "callDebug: debug must be true, false or a function",
        "create: idempotencyKey is not an option of a call; did you mean ensure()?",
        "createBody: idempotencyKey is not an option of a call; did you mean ensure()?",
        "createHeader: Idempotency-Key is not an option of a call; did you mean ensure()?",
        "createSnake: idempotency_key is not an option of a call; did you mean ensure()?",
        "ensure: idempotencyKey is not an option of an ensure; did you mean ensure()?",
        "wait: maxRetrys is not an option of a wait",
        "waitType: timeoutMs must be a number above 0",
        "list: retries is not an option of a list; did you mean maxRetries?",
        "listType: prefetch must be true or false",
        "listSignal: signal is an option, which is passed in the last argument",
        "listTimeout: timeoutMs is an option, which is passed in the last argument",
        "listParameter: limits is not a parameter of GET /v1/projects; did you mean limit?",
        "toArray: retries is not an option of a list; did you mean maxRetries?",
        "toArrayName: limits is not an option",
        "path: timeout is not an option of a call; did you mean timeoutMs?",
        "pathClient: timeoutMs must be a number above 0",
        "undefined: timeout is not an option of a call; did you mean timeoutMs?",
        "slash: path must start with a slash",
        "getBody: body cannot be sent with GET",
        "cycle: body cannot be serialized as JSON",
        "dots: id must be a string that is neither empty nor a dot segment",
        "surrogate: id is not well-formed text",
        "loginClient: clientId must not be empty",
        "loginAddress: authUrl is not an absolute URL",
        "login: scope is not an option of a login; did you mean scopes?",
        "loginType: scopes must be an array of strings",
        "authenticator: onBackgroundErrors is not an option of a login; did you mean onBackgroundError?",
        "browserStore: storge is not an option",
        "connectionString: pool is not an option",
      ]);
      expect(results[name]?.refused).toBe(0);
    },
  );

  it.each(["createClient", "createPartialClient"])("accepts everything else: %s", (name) => {
    expect(results[name]?.accepted).toBe(5);
  });

  it.each(["createClient", "createPartialClient"])("does not notice what client.md lists: %s", (name) => {
    expect(results[name]?.unnoticed).toEqual(results[name]?.mistakes);
  });
});
