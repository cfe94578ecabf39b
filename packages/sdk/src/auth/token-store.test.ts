import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AuthError, type TokenStore, createAuthenticator, logout } from "@mgmt/sdk/auth";
import { thrown } from "../../test/server.js";
import { html, invalidGrant, refreshTokens, setup } from "../../test/auth/authenticator-setup.js";
import { credentialFor } from "../../test/auth/fault-server.js";

describe("a store", () => {
  /** Returns a store whose writes fail while `broken` is true. */
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

  it("uses a refreshed login that it cannot store, and stores it as soon as it can", async () => {
    const { token, settled, reported, inner, state, server } = await setupBroken();
    expect(await token()).toBe("access-1");
    expect(reported).toMatchObject([{ message: "The disk is full." }]);
    expect(await token()).toBe("access-1");
    expect(await thrown(settled())).toMatchObject({ message: "The disk is full." });
    expect(await inner.read()).toMatchObject({ refreshToken: "refresh-0" });
    // The next refresh starts from the newest login, not from the stored one.
    expect(await token({ rejected: "access-1" })).toBe("access-2");
    state.broken = false;
    await settled();
    expect(await inner.read()).toMatchObject({ accessToken: "access-2", refreshToken: "refresh-2" });
    expect(refreshTokens(server)).toEqual(["refresh-0", "refresh-1"]);
    const { writes } = state;
    await settled();
    expect(state.writes).toBe(writes);
  });

  it("keeps another login that was stored after a refreshed one could not be", async () => {
    const { token, settled, inner, state, server } = await setupBroken();
    await token();
    const theirs = credentialFor(server, 3600, { accessToken: "theirs", refreshToken: "refresh-9" });
    await inner.write(theirs);
    state.broken = false;
    await settled();
    expect(await inner.read()).toEqual(theirs);
    expect(await token()).toBe("theirs");
  });

  it("detects that it cannot be written before the refresh token is used", async () => {
    const { options, server, store } = await setup();
    const rejection = new Error("read-only");
    const probing: TokenStore = { ...store, probe: () => Promise.reject(rejection) };
    const { token } = createAuthenticator({ ...options, store: probing });
    expect(await thrown(token())).toBe(rejection);
    expect(server.tokenRequests).toEqual([]);
  });

  it.each([
    ["a new token", {}, "access-1", ["reserved before request 1", "access-1", "released"]],
    ["a refusal", { token: invalidGrant }, undefined, ["reserved before request 1", "released"]],
    ["a failure", { token: html }, undefined, ["reserved before request 1", "released"]],
  ] as const)(
    "reserves space for the next credential before the refresh token is used, and releases it after %s",
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

  it("uses no refresh token without space for the next credential", async () => {
    const { options, server, store } = await setup();
    const rejection = new Error("no place");
    const { token } = createAuthenticator({
      ...options,
      store: { ...store, reserve: () => Promise.reject(rejection) },
    });
    expect(await thrown(token())).toBe(rejection);
    expect(server.tokenRequests).toEqual([]);
    expect(await store.read()).toMatchObject({ refreshToken: "refresh-0" });
  });

  it("fails the call with its own error when it cannot be read, and is read again by the next call", async () => {
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
    "reports content that is not a credential as corrupt, and leaves it unchanged until a logout or a login: %j",
    async (held) => {
      const { options, server, store } = await setup();
      let cleared = 0;
      // As returned by a store that does not check what it reads.
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

  it("treats null as empty", async () => {
    const { options, store } = await setup();
    const empty: TokenStore = { ...store, read: async () => null as never };
    expect(await thrown(createAuthenticator({ ...options, store: empty }).token())).toMatchObject({
      ...{ code: "auth:login_required", message: "There is no stored login" },
    });
    await logout({ ...options, store: empty });
  });

  it("fails the call within its deadline when it never responds", async () => {
    const { options, store } = await setup();
    const silent: TokenStore = { ...store, read: () => new Promise(() => undefined) };
    const { token } = createAuthenticator({ ...options, store: silent });
    expect(await thrown(token({ timeoutMs: 50 }))).toMatchObject({
      code: "auth:timeout",
      message: "Got no token within 40 ms: still waiting for the store",
    });
  });
});
