import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import {
  AuthUnauthorizedError,
  type MgmtClient,
  TimeoutError,
  type Token,
  type Transport,
  TokenError,
  type TokenRequest,
  createClient,
} from "@mgmt/sdk";
import {
  type Authenticator,
  LoginRequiredError,
  type TokenStore,
  createAuthenticator,
  finishLogin,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
import { nodeTransport } from "@mgmt/sdk/node";
import { json, startServer, thrown } from "../../test/server.js";
import { credentialFor, startFaultServer } from "../../test/auth/fault-server.js";

const mock = setupMock({ deterministic: "auth-client" });
const oauth = { authUrl: mock.authUrl, clientId: "itgr_mgmtcommandlineinterface" };

beforeAll(() => mock.listen({ onUnhandledRequest: "bypass" }));
afterEach(() => mock.reset());
afterAll(() => mock.close());

const transports: [string, () => Transport | undefined][] = [
  ["fetch", () => undefined],
  ["nodeTransport", () => nodeTransport()],
];

/** A client of a user who has logged in. */
const loggedIn = async (
  transport?: Transport,
): Promise<{ client: MgmtClient; store: TokenStore; auth: Authenticator }> => {
  const store = memoryStore();
  const { url, attempt } = await startLogin({ ...oauth, redirectUri: "http://127.0.0.1/callback" });
  const { redirect } = await mock.oauth.consent({ url });
  await finishLogin({ ...oauth, attempt, callback: redirect, store });
  const auth = createAuthenticator({ ...oauth, store, transport });
  return { client: createClient({ baseUrl: mock.baseUrl, token: auth.token, transport }), store, auth };
};

const grants = () =>
  mock.requests.filter(({ operationId, status }) => operationId === "oauth.token" && status === 200).length -
  1;

const hour = 3_600_000;

describe.each(transports)("a client of a user who has logged in, over %s", (_, transport) => {
  it("continues after the access token has expired, by sending the same request once more", async () => {
    const { client } = await loggedIn(transport());
    await client.projects.create({ name: "before" });
    await mock.clock.advance(hour);
    const { id } = await client.projects.create({ name: "after" });
    expect((await client.projects.get(id)).name).toBe("after");
    expect((await client.projects.list().toArray()).map(({ name }) => name)).toEqual(["before", "after"]);
    expect(grants()).toBe(1);
    const creations = mock.requests.filter(({ operationId }) => operationId === "projects.create");
    expect(creations.map(({ status }) => status)).toEqual([201, 401, 201]);
  });
});

describe("a client of a user who has logged in", () => {
  it("requires a new login when the integration is deleted, or the refresh token was stolen and used", async () => {
    const { client, store } = await loggedIn();
    const workspace = mock.defaults.workspace.id;
    const [integration] = await client.workspaces.integrations.list(workspace).toArray();
    const owner = createClient({ baseUrl: mock.baseUrl, token: await mock.tokens.user() });
    await owner.integrations.delete(integration?.id ?? "");
    expect(await thrown(client.me.get())).toBeInstanceOf(LoginRequiredError);
    expect(await store.read()).toBeUndefined();

    const victim = await loggedIn();
    const stolen = memoryStore(await victim.store.read());
    await victim.auth.token({ rejected: (await victim.store.read())?.accessToken });
    await mock.clock.advance(11_000);
    const thief = createAuthenticator({ ...oauth, store: stolen });
    const { accessToken } = (await stolen.read()) ?? {};
    expect(await thrown(thief.token({ rejected: accessToken }))).toBeInstanceOf(LoginRequiredError);
    expect(await thrown(victim.client.me.get())).toBeInstanceOf(LoginRequiredError);
  });

  it("gets a new refresh token when the response of a refresh is lost (grace period of ten seconds)", async () => {
    const { client, store } = await loggedIn();
    const { refreshToken } = (await store.read()) ?? {};
    await mock.clock.advance(hour);
    mock.faults.add({ operation: "oauth.token", drop: "after", times: 1 });
    expect((await client.me.get()).user?.id).toBe(mock.defaults.user.id);
    expect((await store.read())?.refreshToken).not.toBe(refreshToken);
  });

  it("works with paths and pages too", async () => {
    const { client } = await loggedIn();
    for (let index = 0; index < 5; index += 1) await client.projects.create({ name: `p${index}` });
    await mock.clock.advance(hour);
    const { data, response } = await client.http.GET("/v1/me");
    expect([response.status, data?.data.user?.id]).toEqual([200, mock.defaults.user.id]);
    const names: string[] = [];
    for await (const { name } of client.projects.list({ limit: 2 })) {
      names.push(name);
      await mock.clock.advance(hour);
    }
    expect(names).toEqual(["p0", "p1", "p2", "p3", "p4"]);
  });
});

describe("a token function", () => {
  /** Starts a server that accepts the tokens in `good` and returns 401 for others. */
  const startPicky = async (good: string[]) =>
    startServer(({ headers }, response) =>
      good.some((token) => headers.authorization === `Bearer ${token}`)
        ? json(response, 200, { data: { id: "x" } })
        : json(response, 401, { error: { code: "auth:unauthorized", message: "No" } }),
    );
  const authorizations = ({ seen }: { seen: { headers: { authorization?: string | undefined } }[] }) =>
    seen.map(({ headers }) => headers.authorization);

  it("receives the rejected token, and its new token is sent once", async () => {
    const server = await startPicky(["good"]);
    const requests: TokenRequest[] = [];
    const token: Token = (request) => {
      requests.push(request);
      return request.rejected === undefined ? "bad" : "good";
    };
    const client = createClient({ baseUrl: server.baseUrl, token, timeoutMs: 9_000 });
    expect(await client.projects.create({ name: "shop" })).toEqual({ id: "x" });
    expect(requests).toMatchObject([
      { timeoutMs: 9_000, signal: expect.any(AbortSignal) },
      { timeoutMs: 9_000, rejected: "bad" },
    ]);
    expect(server.seen.map(({ method, body }) => [method, body])).toEqual([
      ["POST", '{"name":"shop"}'],
      ["POST", '{"name":"shop"}'],
    ]);
  });

  it("is called once more when it has no other token, and the 401 is thrown", async () => {
    const server = await startPicky([]);
    let asked = 0;
    const client = createClient({ baseUrl: server.baseUrl, token: () => `bad${(asked += 1) * 0}` });
    expect(await thrown(client.me.get())).toBeInstanceOf(AuthUnauthorizedError);
    expect(asked).toBe(2);
    expect(server.seen).toHaveLength(1);
  });

  it("is not called again when its second token is rejected too", async () => {
    const server = await startPicky([]);
    let asked = 0;
    const client = createClient({ baseUrl: server.baseUrl, token: () => `bad${(asked += 1)}` });
    expect(await thrown(client.me.get())).toBeInstanceOf(AuthUnauthorizedError);
    expect(authorizations(server)).toEqual(["Bearer bad1", "Bearer bad2"]);
  });

  it("is not called again for a credential that the caller has set, nor for a fixed or missing one", async () => {
    const server = await startPicky([]);
    const headers = { authorization: "Bearer own" };
    const token: Token = ({ rejected }) => {
      throw new Error(`asked after ${rejected}`);
    };
    const calls = [
      createClient({ baseUrl: server.baseUrl, token }).me.get({ headers }),
      createClient({ baseUrl: server.baseUrl, token: "fixed" }).me.get(),
      createClient({ baseUrl: server.baseUrl, token: false }).me.get(),
    ];
    for (const call of calls) expect(await thrown(call)).toBeInstanceOf(AuthUnauthorizedError);
    expect(server.seen).toHaveLength(3);
  });

  it("fails the call when its second call fails", async () => {
    const server = await startPicky([]);
    const cause = new Error("no more");
    const token: Token = ({ rejected }) => {
      if (rejected !== undefined) throw cause;
      return "bad";
    };
    const error = await thrown(createClient({ baseUrl: server.baseUrl, token }).me.get());
    expect(error).toMatchObject({ name: "TokenError", code: "token:unavailable", cause });
    const odd = createClient({
      baseUrl: server.baseUrl,
      token: ({ rejected }) => (rejected ? "a b" : "bad"),
    });
    expect(await thrown(odd.me.get())).toBeInstanceOf(TokenError);
  });
});

describe("an authenticator", () => {
  const setup = async (timeoutMs?: number) => {
    const auth = await startFaultServer({ token: () => undefined });
    const service = await startServer((_, response) => json(response, 200, { data: {} }));
    const store = memoryStore(credentialFor(auth, -1));
    const { token } = createAuthenticator({ authUrl: auth.baseUrl, clientId: "app", store, timeoutMs });
    return { auth, service, client: createClient({ baseUrl: service.baseUrl, token }) };
  };

  it("ends a call with its own error before the call's deadline when it hangs", async () => {
    const { client, service } = await setup();
    const error = await thrown(client.me.get({ timeoutMs: 200 }));
    expect(error).toMatchObject({ name: "AuthError", code: "auth:timeout" });
    expect(error).not.toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(TokenError);
    const short = await setup(100);
    expect(await thrown(short.client.me.get())).toMatchObject({ code: "auth:timeout" });
    expect([...service.seen, ...short.service.seen]).toEqual([]);
  });

  it("ends a call with its own error when it fails, not with one about the token function", async () => {
    const { service } = await setup();
    const { token } = createAuthenticator({ ...oauth, store: memoryStore() });
    const error = await thrown(createClient({ baseUrl: service.baseUrl, token }).me.get());
    expect(error).toBeInstanceOf(LoginRequiredError);
    expect(error).toMatchObject({ hint: "Log in." });
    expect(service.seen).toEqual([]);
  });

  it("releases a call that is aborted, with the caller's reason", async () => {
    const { client, auth } = await setup();
    const controller = new AbortController();
    const call = thrown(client.me.get({ signal: controller.signal }));
    while (auth.tokenRequests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort("enough");
    expect(await call).toMatchObject({ name: "AbortError", cause: "enough" });
  });
});
