import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  AuthError,
  type TokenStore,
  createAuthenticator,
  finishLogin,
  logout,
  startLogin,
} from "@mgmt/sdk/auth";
import { thrown } from "../server.js";
import { html, invalidGrant, refreshTokens, setup } from "./authenticator-setup.js";
import { credentialFor } from "./fault-server.js";

describe("a store", () => {
  /** A store whose writes fail while `broken` says so. */
  const setupBroken = async (secondsLeft = -1) => {
    const auth = await setup({ secondsLeft });
    const state = { broken: true, writes: 0 };
    const store: TokenStore = {
      ...auth.store,
      write: async (credential) => {
        state.writes += 1;
        if (state.broken) throw new Error("The disk is full.");
        await auth.store.write(credential);
      },
    };
    return { ...auth, inner: auth.store, state, ...createAuthenticator({ ...auth.options, store }) };
  };

  it("that does not take the refreshed login: it is used all the same, and stored when that works", async () => {
    const { token, settled, reported, inner, state, server } = await setupBroken();
    expect(await token()).toBe("access-1");
    expect(reported).toMatchObject([{ message: "The disk is full." }]);
    expect(await token()).toBe("access-1");
    expect(await thrown(settled())).toMatchObject({ message: "The disk is full." });
    expect(await inner.read()).toMatchObject({ refreshToken: "refresh-0" });
    // The next refresh goes on from the newest login, not from the stored one.
    expect(await token({ rejected: "access-1" })).toBe("access-2");
    state.broken = false;
    await settled();
    expect(await inner.read()).toMatchObject({ accessToken: "access-2", refreshToken: "refresh-2" });
    expect(refreshTokens(server)).toEqual(["refresh-0", "refresh-1"]);
    const { writes } = state;
    await settled();
    expect(state.writes).toBe(writes);
  });

  it("that did not take the refreshed login, and then took another: that one counts", async () => {
    const { token, settled, inner, state, server } = await setupBroken();
    await token();
    const theirs = credentialFor(server, 3600, { accessToken: "theirs", refreshToken: "refresh-9" });
    await inner.write(theirs);
    state.broken = false;
    await settled();
    expect(await inner.read()).toEqual(theirs);
    expect(await token()).toBe("theirs");
  });

  it("that cannot be written is noticed before the refresh token is used up", async () => {
    const { options, server, store } = await setup();
    const refusal = new Error("read-only");
    const probing: TokenStore = { ...store, probe: () => Promise.reject(refusal) };
    const { token } = createAuthenticator({ ...options, store: probing });
    expect(await thrown(token())).toBe(refusal);
    expect(server.tokenRequests).toEqual([]);
  });

  it.each([
    ["a new token", {}, "access-1", ["reserved before request 1", "access-1", "released"]],
    ["a refusal", { token: invalidGrant }, undefined, ["reserved before request 1", "released"]],
    ["a failure", { token: html }, undefined, ["reserved before request 1", "released"]],
  ] as const)(
    "has its place for the next credential made before the refresh token is used up, and let go after %s",
    async (_, replies, accessToken, expected) => {
      const { options, server, store } = await setup({ replies });
      const steps: string[] = [];
      const reserve: TokenStore["reserve"] = async () => {
        steps.push(`reserved before request ${server.tokenRequests.length + 1}`);
        return {
          write: async (credential) => void steps.push(credential.accessToken),
          release: async () => void steps.push("released"),
        };
      };
      const never = (): Promise<never> => Promise.reject(new Error("This must not be asked"));
      const reserving: TokenStore = { ...store, probe: never, write: never, reserve };
      const { token } = createAuthenticator({ ...options, store: reserving });
      if (accessToken === undefined) expect(await thrown(token())).toBeInstanceOf(AuthError);
      else expect(await token()).toBe(accessToken);
      expect(steps).toEqual(expected);
    },
  );

  it("without a place for the next credential uses up no refresh token", async () => {
    const { options, server, store } = await setup();
    const refusal = new Error("no place");
    const { token } = createAuthenticator({
      ...options,
      store: { ...store, reserve: () => Promise.reject(refusal) },
    });
    expect(await thrown(token())).toBe(refusal);
    expect(server.tokenRequests).toEqual([]);
    expect(await store.read()).toMatchObject({ refreshToken: "refresh-0" });
  });

  it("that cannot be read fails the call with its own error, and is read anew by the next", async () => {
    const { options, store } = await setup({ secondsLeft: 3600 });
    const answers = [() => Promise.reject(new Error("locked")), () => store.read()];
    const failing: TokenStore = { ...store, read: () => (answers.shift() ?? store.read)() };
    const { token } = createAuthenticator({ ...options, store: failing });
    expect(await thrown(token())).toMatchObject({ message: "locked" });
    expect(await token()).toBe("access-0");
  });

  it.each([
    {},
    [],
    "canary",
    0,
    { accessToken: "canary" },
    { ...credentialFor({ baseUrl: "x" }, 1), issuer: 5 },
  ])(
    "that holds no credential is corrupt, whoever made it, and is left as it is until a logout or a login: %j",
    async (held) => {
      const { options, server, store } = await setup();
      let cleared = 0;
      // As a store that does not look at what it reads gives it.
      const read = async () => held as never;
      const clear = async (): Promise<void> => void (cleared += 1);
      const odd: TokenStore = { ...store, read, clear };
      const error = await thrown(createAuthenticator({ ...options, store: odd }).token());
      expect(error).toMatchObject({
        ...{ name: "TokenStoreError", code: "auth:store_corrupt", hint: expect.stringContaining("Log in") },
        message: "The store does not contain a credential: it lacks required fields",
      });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("canary");
      expect(cleared).toBe(0);
      expect(await thrown(logout({ ...options, store: odd }))).toMatchObject({ code: "auth:revoke_failed" });
      expect(cleared).toBe(1);
      expect(server.seen).toEqual([]);
    },
  );

  it("that answers null is empty", async () => {
    const { options, store } = await setup();
    const empty: TokenStore = { ...store, read: async () => null as never };
    expect(await thrown(createAuthenticator({ ...options, store: empty }).token())).toMatchObject({
      ...{ code: "auth:login_required", message: "Nobody is logged in" },
    });
    await logout({ ...options, store: empty });
  });

  it("that is slow to tell of the old login does not bring it back after another", async () => {
    const { options, store } = await setup({ secondsLeft: 3600 });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow: TokenStore = {
      ...store,
      read: async () => {
        const stored = await store.read();
        await held;
        return stored;
      },
    };
    const { token } = createAuthenticator({ ...options, store: slow });
    const before = token();
    const { attempt } = await startLogin({ ...options, redirectUri: "http://127.0.0.1/callback" });
    await finishLogin({ ...options, store: slow, attempt, callback: { code: "code-1" } });
    release();
    expect(await before).toBe("access-0");
    expect(await token()).toBe("access-1");
  });

  it("that never answers fails the call in good time", async () => {
    const { options, store } = await setup();
    const silent: TokenStore = { ...store, read: () => new Promise(() => undefined) };
    const { token } = createAuthenticator({ ...options, store: silent });
    expect(await thrown(token({ timeoutMs: 50 }))).toMatchObject({
      code: "auth:timeout",
      message: "Got no token within 40 ms: still waiting for the store",
    });
  });
});
