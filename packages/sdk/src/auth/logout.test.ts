import { getEventListeners } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import { createClient } from "@mgmt/sdk";
import {
  type Credential,
  type TokenStore,
  createAuthenticator,
  finishLogin,
  logout,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
import { fileStore } from "@mgmt/sdk/auth/node";
import { json, thrown } from "../../test/server.js";
import { holdTokens } from "../../test/auth/authenticator-setup.js";
import { type Reply, credentialFor, metadataOf, startFaultServer } from "../../test/auth/fault-server.js";
import { makeFolder } from "../../test/auth/folders.js";

const mock = setupMock({ deterministic: "logout" });
const oauth = { authUrl: mock.authUrl, clientId: "itgr_mgmtcommandlineinterface" };

beforeAll(() => mock.listen({ onUnhandledRequest: "bypass" }));
afterEach(() => mock.reset());
afterAll(() => mock.close());

const login = async (store: TokenStore, scopes?: string[]): Promise<Credential> => {
  const { url, attempt } = await startLogin({ ...oauth, redirectUri: "http://127.0.0.1/callback", scopes });
  const { redirect } = await mock.oauth.consent({ url });
  return finishLogin({ ...oauth, attempt, callback: redirect, store });
};

const isAccepted = async (token: string): Promise<boolean> =>
  createClient({ baseUrl: mock.baseUrl, token })
    .me.get()
    .then(
      () => true,
      () => false,
    );

describe("logout", () => {
  it("forgets the credential and revokes all of it at once (RFC 7009)", async () => {
    const store = memoryStore();
    const { token } = createAuthenticator({ ...oauth, store });
    const { accessToken, refreshToken = "" } = await login(store);
    await token({ rejected: accessToken });
    const refreshed = await token();
    await logout({ ...oauth, store });
    expect(await store.read()).toBeUndefined();
    expect(await Promise.all([accessToken, refreshed].map(isAccepted))).toEqual([false, false]);
    const old = memoryStore(credentialFor({ baseUrl: mock.authUrl }, -1, { ...oauth, refreshToken }));
    const other = createAuthenticator({ ...oauth, store: old });
    expect(await thrown(other.token())).toMatchObject({
      code: "auth:login_required",
      oauthError: "invalid_grant",
    });
    expect(await thrown(token())).toMatchObject({ message: "There is no stored login" });
  });

  it("revokes the access token when there is no refresh token", async () => {
    const store = memoryStore();
    const { accessToken } = await login(store, ["workspace:admin"]);
    expect(await isAccepted(accessToken)).toBe(true);
    await logout({ ...oauth, store });
    expect(await isAccepted(accessToken)).toBe(false);
  });

  it("leaves other logins of the same user alone", async () => {
    const [one, other] = [memoryStore(), memoryStore()];
    await login(one);
    const { accessToken } = await login(other);
    await logout({ ...oauth, store: one });
    expect(await isAccepted(accessToken)).toBe(true);
    expect(await other.read()).toBeDefined();
  });

  it("sends nothing when nobody is logged in, and one revocation for two concurrent logouts", async () => {
    const store = memoryStore();
    await logout({ ...oauth, store });
    expect(mock.requests).toEqual([]);
    await login(store);
    await Promise.all([logout({ ...oauth, store }), logout({ ...oauth, store })]);
    expect(mock.requests.filter(({ operationId }) => operationId === "oauth.revoke")).toHaveLength(1);
  });

  it("waits for a refresh that is under way, and revokes what it gave", async () => {
    const { token: reply, arrived, answer } = holdTokens();
    const server = await startFaultServer({ token: reply });
    const store = memoryStore(credentialFor(server, -1));
    const options = { authUrl: server.baseUrl, clientId: "app", store };
    const { token } = createAuthenticator(options);
    const refreshing = token();
    await arrived;
    const leaving = logout(options);
    answer();
    expect(await refreshing).toBe("access-1");
    await leaving;
    const { body } = server.seen.find(({ url }) => url === "/revoke") ?? {};
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      ...{ token: "refresh-1", token_type_hint: "refresh_token", client_id: "app" },
    });
    expect(await thrown(token())).toMatchObject({ code: "auth:login_required" });
  });

  it("revokes what was refreshed, but never stored", async () => {
    const server = await startFaultServer();
    const inner = memoryStore(credentialFor(server, -1));
    const store: TokenStore = { ...inner, write: () => Promise.reject(new Error("full")) };
    const options = { authUrl: server.baseUrl, clientId: "app", store };
    expect(await createAuthenticator(options).token()).toBe("access-1");
    await logout(options);
    expect(server.seen.find(({ url }) => url === "/revoke")?.body).toContain("token=refresh-1");
    expect(await inner.read()).toBeUndefined();
  });

  it.each<[string, Reply, object]>([
    ["500", (response) => response.writeHead(500).end(), { status: 500 }],
    [
      "an error of OAuth",
      (response) => json(response, 400, { error: "unsupported_token_type" }),
      { oauthError: "unsupported_token_type" },
    ],
    ["a redirect", (response) => response.writeHead(302, { location: "/" }).end(), { status: 302 }],
    ["a cut connection", (response) => response.destroy(), {}],
    ["nothing, ever", () => undefined, {}],
  ])(
    "clears the store even when the server responds with %s, and reports that the login may still be valid",
    async (name, revoke, more) => {
      const server = await startFaultServer({ revoke });
      const store = memoryStore(credentialFor(server, 3600));
      const timeoutMs = name === "nothing, ever" ? 500 : undefined;
      const error = await thrown(logout({ authUrl: server.baseUrl, clientId: "app", store, timeoutMs }));
      expect(error).toMatchObject({
        ...{
          name: "AuthError",
          code: "auth:revoke_failed",
          hint: expect.any(String),
          cause: expect.any(Error),
        },
        message: expect.stringMatching(/^The login was removed from the store, but may still be valid: /),
        ...more,
      });
      expect(JSON.stringify(error)).not.toMatch(/access-0|refresh-0/);
      expect(await store.read()).toBeUndefined();
    },
  );

  it("clears only the store when the server has no revocation endpoint", async () => {
    const server = await startFaultServer({
      metadata: (response) =>
        json(response, 200, { ...metadataOf(server.baseUrl), revocation_endpoint: undefined }),
    });
    const store = memoryStore(credentialFor(server, 3600));
    await logout({ authUrl: server.baseUrl, clientId: "app", store });
    expect(await store.read()).toBeUndefined();
    expect(server.seen.map(({ url }) => url)).toEqual(["/.well-known/oauth-authorization-server"]);
  });

  it("clears a corrupt file, and says that its login could not be revoked", async () => {
    const file = join(await makeFolder(), "credentials.json");
    await writeFile(file, '{"accessToken":"canary');
    const error = await thrown(logout({ ...oauth, store: fileStore(file) }));
    expect(error).toMatchObject({ code: "auth:revoke_failed", cause: { code: "auth:store_corrupt" } });
    expect(await fileStore(file).read()).toBeUndefined();
    await logout({ ...oauth, store: fileStore(file) });
  });

  it.each([{ issuer: "https://other.example.com" }, { clientId: "other" }])(
    "leaves the login of another server or client alone: %j",
    async (more) => {
      const server = await startFaultServer();
      const store = memoryStore(credentialFor(server, 3600, more));
      const error = await thrown(logout({ authUrl: server.baseUrl, clientId: "app", store }));
      expect(error).toMatchObject({ code: "auth:issuer_mismatch" });
      expect(await store.read()).toMatchObject(more);
      expect(server.seen).toEqual([]);
    },
  );

  it("sends nothing when the store cannot be read or cleared", async () => {
    const server = await startFaultServer();
    const reason = new Error("locked");
    const reject = (): Promise<never> => Promise.reject(reason);
    for (const broken of [{ clear: reject }, { read: reject }]) {
      const store = { ...memoryStore(credentialFor(server, 3600)), ...broken };
      expect(await thrown(logout({ authUrl: server.baseUrl, clientId: "app", store }))).toBe(reason);
    }
    expect(server.seen).toEqual([]);
  });

  it("sends nothing, and says so, when the store is not free in time", async () => {
    const server = await startFaultServer();
    const inner = memoryStore(credentialFor(server, 3600));
    const store: TokenStore = { ...inner, lock: () => new Promise(() => undefined) };
    const error = await thrown(logout({ authUrl: server.baseUrl, clientId: "app", store, timeoutMs: 50 }));
    expect(error).toMatchObject({
      ...{ name: "AuthError", code: "auth:timeout", hint: expect.stringContaining("Log out again") },
      message: "The store was not ready within 50 ms",
    });
    expect(server.seen).toEqual([]);
    expect(await inner.read()).toBeDefined();
  });

  it("leaves nothing on its signal, also when the store throws at once instead of rejecting", async () => {
    const reason = new Error("locked");
    const { signal } = new AbortController();
    const throwing = (): never => {
      throw reason;
    };
    for (const broken of [{ lock: throwing }, { read: throwing }, { clear: throwing }]) {
      const store = { ...memoryStore(credentialFor({ baseUrl: mock.authUrl }, 3600, oauth)), ...broken };
      expect(await thrown(logout({ ...oauth, store, signal }))).toBe(reason);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
    expect(mock.requests).toEqual([]);
  });

  it("throws the reason of a signal that is aborted", async () => {
    const reason = new Error("The user left.");
    const store = memoryStore();
    const { accessToken } = await login(store);
    expect(await thrown(logout({ ...oauth, store, signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(await store.read()).toMatchObject({ accessToken });
    const server = await startFaultServer({ revoke: () => controller.abort(reason) });
    const controller = new AbortController();
    const other = memoryStore(credentialFor(server, 3600));
    const options = { authUrl: server.baseUrl, clientId: "app", store: other, signal: controller.signal };
    expect(await thrown(logout(options))).toBe(reason);
    expect(await other.read()).toBeUndefined();
  });
});
