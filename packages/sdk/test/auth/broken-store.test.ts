import { describe, expect, it } from "vitest";
import { type TokenStore, createAuthenticator } from "@mgmt/sdk/auth";
import { thrown } from "../server.js";
import { refreshTokens, setup } from "./authenticator-setup.js";
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

  it("that cannot be read fails the call with its own error, and is read anew by the next", async () => {
    const { options, store } = await setup({ secondsLeft: 3600 });
    const answers = [() => Promise.reject(new Error("locked")), () => store.read()];
    const failing: TokenStore = { ...store, read: () => (answers.shift() ?? store.read)() };
    const { token } = createAuthenticator({ ...options, store: failing });
    expect(await thrown(token())).toMatchObject({ message: "locked" });
    expect(await token()).toBe("access-0");
  });

  it("that never answers fails the call in good time", async () => {
    const { options, store } = await setup();
    const silent: TokenStore = { ...store, read: () => new Promise(() => undefined) };
    const { token } = createAuthenticator({ ...options, store: silent });
    expect(await thrown(token({ timeoutMs: 50 }))).toMatchObject({
      code: "auth:timeout",
      message: "No token within 40 ms: still waiting for the store",
    });
  });
});
