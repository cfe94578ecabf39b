import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { setupMock } from "@mgmt/mock";
import { createClient } from "@mgmt/sdk";
import {
  type Credential,
  type TokenStore,
  TokenStoreError,
  createAuthenticator,
  finishLogin,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
import { fileStore } from "@mgmt/sdk/auth/node";
import { thrown } from "../../test/server.js";
import { until } from "../../test/auth/authenticator-setup.js";
import { credentialFor, startFaultServer } from "../../test/auth/fault-server.js";
import { makeFolder } from "../../test/auth/folders.js";

const mock = setupMock({ deterministic: "login" });
const clientId = "itgr_mgmtcommandlineinterface";
const redirectUri = "http://127.0.0.1:5000/callback";
const oauth = { authUrl: mock.authUrl, clientId };

beforeAll(() => mock.listen({ onUnhandledRequest: "bypass" }));
afterEach(() => mock.reset());
afterAll(() => mock.close());

const start = (more: object = {}) => startLogin({ ...oauth, redirectUri, ...more });

/** Returns a login that the user has allowed. */
const allowed = async (more: object = {}) => {
  const { url, attempt } = await start(more);
  const { redirect, code } = await mock.oauth.consent({ url });
  return { attempt, redirect, code };
};

const tokenRequests = () => mock.requests.filter(({ operationId }) => operationId === "oauth.token");

describe("startLogin", () => {
  it("creates an authorization request with PKCE S256, a state and all scopes (RFC 6749, section 4.1.1; RFC 7636, section 4.3)", async () => {
    const { url, attempt } = await start();
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).toBe(`${mock.authUrl}/authorize`);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(attempt.codeVerifier));
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: "workspace:admin offline_access",
      state: attempt.state,
      code_challenge: Buffer.from(digest).toString("base64url"),
      code_challenge_method: "S256",
    });
    expect(url).not.toContain(attempt.codeVerifier);
  });

  it.each([undefined, {}])("names crypto.subtle, which insecure pages lack: %j", async (without) => {
    vi.stubGlobal("crypto", without);
    const error = await thrown(start());
    vi.unstubAllGlobals();
    expect(error).toMatchObject({
      code: "argument:invalid",
      message: "crypto.subtle is missing in this runtime",
      hint: expect.stringContaining("https:// pages"),
    });
    expect(mock.requests).toEqual([]);
  });

  it("starts each login with its own state and verifier", async () => {
    const logins = await Promise.all(Array.from({ length: 20 }, () => start()));
    const secrets = logins.flatMap(({ attempt: { state, codeVerifier } }) => [state, codeVerifier]);
    expect(new Set(secrets).size).toBe(40);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
  });

  it("preserves the query of the authorization endpoint's URL", async () => {
    const endpoints = {
      authorization: "https://login.example.com/start?tenant=blue",
      token: "https://login.example.com/token",
    };
    const { url } = await start({ endpoints });
    expect(url).toMatch(/^https:\/\/login\.example\.com\/start\?tenant=blue&response_type=code&/);
    expect(mock.requests).toEqual([]);
  });

  it("throws the reason of a signal that is aborted", async () => {
    const reason = new Error("The user left.");
    expect(await thrown(start({ signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

describe("finishLogin", () => {
  it("redeems the code and keeps the credential, which then serves a client", async () => {
    const store = memoryStore();
    const { attempt, redirect } = await allowed();
    const before = Date.now();
    const credential = await finishLogin({ ...oauth, attempt, callback: redirect, store });
    expect(credential).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      issuedAt: expect.any(Number),
      expiresAt: (credential.issuedAt ?? 0) + 3_600_000,
      scopes: ["workspace:admin", "offline_access"],
      issuer: mock.authUrl,
      clientId,
    });
    expect(credential.issuedAt).toBeGreaterThanOrEqual(before);
    expect(await store.read()).toEqual(credential);
    const { token } = createAuthenticator({ ...oauth, store });
    const { user, credential: used } = await createClient({ baseUrl: mock.baseUrl, token }).me.get();
    expect(user?.id).toBe(mock.defaults.user.id);
    expect(used.type).toBe("oauth");
  });

  it("accepts the attempt after storage as JSON in a session", async () => {
    const { attempt, redirect } = await allowed();
    const kept: typeof attempt = JSON.parse(JSON.stringify(attempt));
    const credential = await finishLogin({ ...oauth, attempt: kept, callback: new URL(redirect) });
    expect(credential.issuer).toBe(mock.authUrl);
  });

  it("accepts a callback as the path and query that a web server receives", async () => {
    const { attempt, redirect } = await allowed();
    const { pathname, search } = new URL(redirect);
    const credential = await finishLogin({ ...oauth, attempt, callback: pathname + search });
    expect(credential.accessToken).toMatch(/^ey/);
  });

  it("accepts a bare code that the user pasted, protected by PKCE", async () => {
    const { attempt, code } = await allowed();
    await finishLogin({ ...oauth, attempt, callback: { code } });
    const other = await allowed();
    const stolen = { ...oauth, attempt, callback: { code: other.code } };
    expect(await thrown(finishLogin(stolen))).toMatchObject({
      code: "auth:login_failed",
      oauthError: "invalid_grant",
    });
  });

  it("returns no refresh token without offline_access", async () => {
    const { attempt, redirect } = await allowed({ scopes: ["workspace:admin"] });
    const credential = await finishLogin({ ...oauth, attempt, callback: redirect });
    expect(credential.refreshToken).toBeUndefined();
    expect(credential.scopes).toEqual(["workspace:admin"]);
  });

  it("authenticates a confidential client with its secret", async () => {
    const client = await mock.oauth.registerClient({ redirectUris: [redirectUri], secret: "s3cr:t %+é" });
    const confidential = { authUrl: mock.authUrl, clientId: client.id, redirectUri };
    const { url, attempt } = await startLogin(confidential);
    const { redirect } = await mock.oauth.consent({ url });
    const login = { ...confidential, attempt, callback: redirect };
    expect(await thrown(finishLogin({ ...login, clientSecret: "wrong" }))).toMatchObject({
      code: "auth:login_failed",
      oauthError: "invalid_client",
      status: 401,
    });
    const credential = await finishLogin({ ...login, clientSecret: "s3cr:t %+é" });
    expect(credential.clientId).toBe(client.id);
  });

  it("fails with invalid_grant when the code is used twice or too late", async () => {
    const { attempt, redirect } = await allowed();
    await finishLogin({ ...oauth, attempt, callback: redirect });
    const code = new URL(redirect).searchParams.get("code") ?? "";
    const second = await thrown(finishLogin({ ...oauth, attempt, callback: { code } }));
    expect(second).toMatchObject({
      code: "auth:login_failed",
      oauthError: "invalid_grant",
      hint: expect.stringContaining("Start a new login") as string,
      advice: "log_in",
    });
    const late = await allowed();
    await mock.clock.advance(61_000);
    const error = await thrown(finishLogin({ ...oauth, attempt: late.attempt, callback: late.redirect }));
    expect(error).toMatchObject({ oauthError: "invalid_grant" });
  });

  it("does not use the code when the store cannot be written", async () => {
    const rejection = new TokenStoreError("auth:store_read_only", "no", { hint: "no" });
    const store: TokenStore = { ...memoryStore(), probe: () => Promise.reject(rejection) };
    const { attempt, redirect } = await allowed();
    expect(await thrown(finishLogin({ ...oauth, attempt, callback: redirect, store }))).toBe(rejection);
    expect(tokenRequests()).toEqual([]);
    await finishLogin({ ...oauth, attempt, callback: redirect });
  });

  it("throws what the store throws when it fails after all", async () => {
    const rejection = new Error("The keyring is locked.");
    const store: TokenStore = { ...memoryStore(), write: () => Promise.reject(rejection) };
    const { attempt, redirect } = await allowed();
    expect(await thrown(finishLogin({ ...oauth, attempt, callback: redirect, store }))).toBe(rejection);
  });

  it("throws the reason of its signal while its store is not ready yet, and does not use up the code", async () => {
    const reason = new Error("The user left.");
    const controller = new AbortController();
    const probe = (): Promise<never> => {
      setTimeout(() => controller.abort(reason), 0);
      return new Promise(() => undefined);
    };
    const { attempt, redirect } = await allowed();
    const login = { ...oauth, attempt, callback: redirect };
    const { signal } = controller;
    const store: TokenStore = { ...memoryStore(), probe };
    expect(await thrown(finishLogin({ ...login, store, signal }))).toBe(reason);
    expect(tokenRequests()).toEqual([]);
    await finishLogin(login);
  });

  it("waits for the lock while another refresh hangs, because its code is already used", async () => {
    const refreshing = await startFaultServer({ token: () => undefined });
    const file = join(await makeFolder(), "credentials.json");
    await fileStore(file).write(credentialFor(refreshing, -1));
    const hanging = createAuthenticator({
      ...{ authUrl: refreshing.baseUrl, clientId: "app", timeoutMs: 500, store: fileStore(file) },
    });
    const failed = thrown(hanging.token());
    await until(() => refreshing.tokenRequests.length > 0);
    const { attempt, redirect } = await allowed();
    const login = { ...oauth, attempt, callback: redirect, timeoutMs: 30_000 };
    const credential = await finishLogin({ ...login, store: fileStore(file) });
    expect(await failed).toMatchObject({ code: "auth:timeout" });
    expect(await fileStore(file).read()).toEqual(credential);
  });

  it("reports a store that never completes a write", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const write = () => {
      setImmediate(() => vi.advanceTimersByTime(45_000));
      return new Promise<void>(() => undefined);
    };
    const { attempt, redirect } = await allowed();
    const login = { ...oauth, attempt, callback: redirect };
    const error = await thrown(finishLogin({ ...login, store: { ...memoryStore(), write } }));
    expect(error).toMatchObject({
      ...{ name: "AuthError", code: "auth:timeout", hint: expect.stringContaining("start a new login") },
      message: "The store was not ready within 45000 ms",
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/ey[A-Z]/);
  });

  it("replaces a login that is used already, at once", async () => {
    const store = memoryStore();
    const { token } = createAuthenticator({ ...oauth, store });
    const login = async (user: string): Promise<Credential> => {
      const { url, attempt } = await start();
      const { redirect } = await mock.oauth.consent({ url, user });
      return finishLogin({ ...oauth, attempt, callback: redirect, store });
    };
    for (const { id } of [mock.defaults.user, mock.defaults.otherUser]) {
      const { accessToken } = await login(id);
      expect(await token()).toBe(accessToken);
      const { user } = await createClient({ baseUrl: mock.baseUrl, token }).me.get();
      expect(user?.id).toBe(id);
    }
  });

  it.each([
    ["memory", () => Promise.resolve(memoryStore())],
    ["a file", async () => fileStore(join(await makeFolder(), "deep/credentials.json"))],
  ])("completes two concurrent logins into %s, and stores the later one", async (_, makeStore) => {
    const store = await makeStore();
    const [one, other] = [await allowed(), await allowed()];
    const credentials = await Promise.all(
      [one, other].map(({ attempt, redirect }) =>
        finishLogin({ ...oauth, attempt, callback: redirect, store }),
      ),
    );
    expect(credentials).toContainEqual(await store.read());
    for (const { accessToken } of credentials) {
      await createClient({ baseUrl: mock.baseUrl, token: accessToken }).me.get();
    }
  });
});
