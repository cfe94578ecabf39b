import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import {
  type FinishLoginOptions,
  type TokenStore,
  finishLogin,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
import { thrown } from "../server.js";

const mock = setupMock({ deterministic: "callback" });
const redirectUri = "http://127.0.0.1:5000/callback";
const oauth = { authUrl: mock.authUrl, clientId: "itgr_mgmtcommandlineinterface" };

beforeAll(() => mock.listen({ onUnhandledRequest: "error" }));
afterEach(() => mock.reset());
afterAll(() => mock.close());

const start = () => startLogin({ ...oauth, redirectUri });

/** Returns a login that the user has allowed. */
const allowed = async () => {
  const { url, attempt } = await start();
  const { redirect, code } = await mock.oauth.consent({ url });
  return { attempt, redirect, code };
};

const tokenRequests = () => mock.requests.filter(({ operationId }) => operationId === "oauth.token");

/** Expects that `finishLogin` fails before its code is sent. */
const expectRejected = async (options: Omit<FinishLoginOptions, "authUrl" | "clientId">, code: string) => {
  expect(await thrown(finishLogin({ ...oauth, ...options }))).toMatchObject({
    name: "AuthError",
    code,
    hint: expect.any(String),
  });
  expect(tokenRequests()).toEqual([]);
};

describe("a second finishLogin of the same attempt", () => {
  it("shares the result of the first, also a moment later and with another store (React's StrictMode)", async () => {
    const { attempt, redirect } = await allowed();
    const [first, second] = [memoryStore(), memoryStore()];
    const finish = (store: TokenStore) =>
      finishLogin({ ...oauth, attempt: { ...attempt }, callback: redirect, store });
    const credentials = await Promise.all([finish(first), finish(first)]);
    expect(credentials[1]).toEqual(credentials[0]);
    expect(await finish(second)).toEqual(credentials[0]);
    expect([await first.read(), await second.read()]).toEqual([credentials[0], credentials[0]]);
    expect(tokenRequests()).toHaveLength(1);
  });

  it("does not put back a credential that was replaced meanwhile", async () => {
    const { attempt, redirect } = await allowed();
    const store = memoryStore();
    const credential = await finishLogin({ ...oauth, attempt, callback: redirect, store });
    const refreshed = { ...credential, accessToken: "refreshed" };
    await store.write(refreshed);
    await finishLogin({ ...oauth, attempt, callback: redirect, store });
    expect(await store.read()).toEqual(refreshed);
  });

  it("goes on when the first was canceled, and is canceled alone", async () => {
    const { attempt, redirect } = await allowed();
    const reason = new Error("unmounted");
    const [first, second] = [new AbortController(), new AbortController()];
    const finish = (signal?: AbortSignal) => finishLogin({ ...oauth, attempt, callback: redirect, signal });
    const calls = [finish(first.signal), finish(second.signal), finish()];
    first.abort(reason);
    second.abort(reason);
    const [canceled, other, finished] = await Promise.allSettled(calls);
    expect([canceled, other]).toEqual([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
    expect(finished?.status).toBe("fulfilled");
  });

  it("needs the secret of the attempt", async () => {
    const { attempt, redirect } = await allowed();
    await finishLogin({ ...oauth, attempt, callback: redirect });
    const forged = { ...attempt, codeVerifier: "x".repeat(43) };
    expect(await thrown(finishLogin({ ...oauth, attempt: forged, callback: redirect }))).toMatchObject({
      code: "auth:login_failed",
    });
  });
});

describe("a callback", () => {
  it("reports a denial as auth:denied", async () => {
    const { url, attempt } = await start();
    await expectRejected({ attempt, callback: mock.oauth.deny({ url }).redirect }, "auth:denied");
  });

  it.each(["invalid_scope", "server_error", "temporarily_unavailable"])(
    "reports %s as auth:login_failed (RFC 6749, section 4.1.2.1)",
    async (oauthError) => {
      const { attempt } = await start();
      const query = {
        error: oauthError,
        error_description: "Not now",
        state: attempt.state,
        iss: mock.authUrl,
      };
      const callback = `${redirectUri}?${new URLSearchParams(query).toString()}`;
      const error = await thrown(finishLogin({ ...oauth, attempt, callback }));
      expect(error).toMatchObject({
        code: "auth:login_failed",
        oauthError,
        message: `The login ended with ${oauthError}: Not now`,
      });
    },
  );

  it.each(["another", "", undefined])(
    "refuses the state %j, for an error too (RFC 9700, section 4.7)",
    async (state) => {
      const { attempt, redirect } = await allowed();
      for (const callback of [new URL(redirect), new URL(`${redirectUri}?error=access_denied`)]) {
        if (state === undefined) callback.searchParams.delete("state");
        else callback.searchParams.set("state", state);
        await expectRejected({ attempt, callback }, "auth:state_mismatch");
      }
    },
  );

  it("refuses the callback of another login", async () => {
    const [one, other] = [await allowed(), await allowed()];
    await expectRejected({ attempt: one.attempt, callback: other.redirect }, "auth:state_mismatch");
  });

  it.each(["https://evil.example.com", `${mock.authUrl}/`, "", undefined])(
    "refuses the iss %j (RFC 9207, section 2.3)",
    async (iss) => {
      const { attempt, redirect } = await allowed();
      const callback = new URL(redirect);
      if (iss === undefined) callback.searchParams.delete("iss");
      else callback.searchParams.set("iss", iss);
      await expectRejected({ attempt, callback }, "auth:issuer_mismatch");
    },
  );

  it("refuses a wrong iss even if no metadata announces one", async () => {
    const endpoints = { authorization: `${mock.authUrl}/authorize`, token: `${mock.authUrl}/token` };
    const { attempt, redirect } = await allowed();
    const wrong = new URL(redirect);
    wrong.searchParams.set("iss", "https://evil.example.com");
    expect(await thrown(finishLogin({ ...oauth, endpoints, attempt, callback: wrong }))).toMatchObject({
      code: "auth:issuer_mismatch",
    });
    const silent = new URL(redirect);
    silent.searchParams.delete("iss");
    const credential = await finishLogin({ ...oauth, endpoints, attempt, callback: silent });
    expect(credential.issuer).toBe(mock.authUrl);
  });

  it.each(["state", "iss", "code"])("refuses more than one %s (RFC 6749, section 3.1)", async (name) => {
    const { attempt, redirect } = await allowed();
    const callback = new URL(redirect);
    callback.searchParams.append(name, callback.searchParams.get(name) ?? "");
    await expectRejected({ attempt, callback }, "auth:callback_invalid");
  });

  it.each(["code", "response"])("refuses a missing code, or a response of another kind: %s", async (name) => {
    const { attempt, redirect } = await allowed();
    const callback = new URL(redirect);
    if (name === "code") callback.searchParams.delete("code");
    else callback.searchParams.set(name, "eyJ");
    await expectRejected({ attempt, callback }, "auth:callback_invalid");
  });

  it("refuses text that is not a URL", async () => {
    const { attempt } = await start();
    await expectRejected({ attempt, callback: "http://[" }, "auth:callback_invalid");
  });
});
