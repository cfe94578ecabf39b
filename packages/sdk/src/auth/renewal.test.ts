import { describe, expect, it, vi } from "vitest";
import { createAuthenticator } from "@mgmt/sdk/auth";
import { json, thrown } from "../../test/server.js";
import { holdTokens, html, refreshTokens, setup, until } from "../../test/auth/authenticator-setup.js";
import { type Reply, credentialFor, tokens } from "../../test/auth/fault-server.js";

describe("an access token", () => {
  it.each([150, 3600, 10 ** 9])(
    "is returned unchanged when it is valid for %d seconds",
    async (secondsLeft) => {
      const { token, server, settled } = await setup({ secondsLeft });
      expect(await token()).toBe("access-0");
      expect(await token()).toBe("access-0");
      await settled();
      expect(server.seen).toEqual([]);
    },
  );

  it("is returned unchanged when the server did not report its expiration", async () => {
    const { token, server } = await setup({ credential: { expiresAt: undefined } });
    expect(await token()).toBe("access-0");
    expect(server.seen).toEqual([]);
  });

  it("is returned at once and refreshed in the background when it expires within 2 minutes", async () => {
    const { token, arrived, answer } = holdTokens();
    const auth = await setup({ secondsLeft: 110, replies: { token } });
    expect(await Promise.all([auth.token(), auth.token(), auth.token()])).toEqual(
      Array.from({ length: 3 }, () => "access-0"),
    );
    await arrived;
    expect(await auth.token()).toBe("access-0");
    answer();
    await auth.settled();
    expect(await auth.token()).toBe("access-1");
    expect(auth.server.tokenRequests).toHaveLength(1);
    expect(await auth.store.read()).toMatchObject({ accessToken: "access-1", refreshToken: "refresh-1" });
  });

  it.each([25, 0, -1, -(10 ** 7)])(
    "is refreshed first when it expires in %d seconds",
    async (secondsLeft) => {
      const { token, server } = await setup({ secondsLeft });
      expect(await token()).toBe("access-1");
      expect(Object.fromEntries(server.tokenRequests[0] ?? [])).toEqual({
        grant_type: "refresh_token",
        refresh_token: "refresh-0",
        client_id: "app",
      });
      expect(await token()).toBe("access-1");
      expect(server.tokenRequests).toHaveLength(1);
    },
  );

  it.each([
    [20, "access-0", 0],
    [10, "access-0", 1],
    [2, "access-1", 1],
  ])(
    "is refreshed in the last quarter of a lifetime of one minute, and first in the last sixteenth: %d s",
    async (secondsLeft, expected, refreshes) => {
      const issuedAt = Date.now() + (secondsLeft - 60) * 1000;
      const { token, server, settled } = await setup({ secondsLeft, credential: { issuedAt } });
      expect(await token()).toBe(expected);
      await settled();
      expect(server.tokenRequests).toHaveLength(refreshes);
    },
  );

  it("is refreshed once for 100 concurrent calls, and for all authenticators of its store", async () => {
    const { options, server } = await setup();
    const auths = Array.from({ length: 10 }, () => createAuthenticator(options));
    const given = await Promise.all(auths.flatMap(({ token }) => Array.from({ length: 10 }, () => token())));
    expect(new Set(given)).toEqual(new Set(["access-1"]));
    expect(server.tokenRequests).toHaveLength(1);
  });

  it("is refreshed once for all callers when it is rejected", async () => {
    const { token, server } = await setup({ secondsLeft: 3600 });
    const rejected = await token();
    const given = await Promise.all(Array.from({ length: 50 }, () => token({ rejected })));
    expect(new Set(given)).toEqual(new Set(["access-1"]));
    expect(await token({ rejected })).toBe("access-1");
    expect(server.tokenRequests).toHaveLength(1);
    expect(await token({ rejected: "access-1" })).toBe("access-2");
  });

  it("is refreshed after a rejection although another call finds it valid", async () => {
    const { token, server } = await setup({ secondsLeft: 3600 });
    const [one, two] = [token(), token({ rejected: "access-0" })];
    expect([await one, await two]).toEqual(["access-0", "access-1"]);
    expect(server.tokenRequests).toHaveLength(1);
  });

  it("is read from the store when another process has refreshed it", async () => {
    const { token, store, server } = await setup({ secondsLeft: 3600 });
    await token();
    await store.write(credentialFor(server, 3600, { accessToken: "theirs", refreshToken: "refresh-9" }));
    expect(await token()).toBe("access-0");
    expect(await token({ rejected: "access-0" })).toBe("theirs");
    expect(server.seen).toEqual([]);
  });
});

describe("a refresh", () => {
  it("preserves the old refresh token when the response has none", async () => {
    const token: Reply = (response, _, count) =>
      json(response, 200, tokens(count, { refresh_token: undefined, scope: undefined }));
    const { token: ask, store, server } = await setup({ replies: { token } });
    await ask();
    expect(await store.read()).toMatchObject({
      ...{ accessToken: "access-1", refreshToken: "refresh-0", scopes: ["workspace:admin"] },
    });
    await ask({ rejected: "access-1" });
    expect(refreshTokens(server)).toEqual(["refresh-0", "refresh-0"]);
  });

  it("uses the scopes and the lifetime of the response, including their absence", async () => {
    const token: Reply = (response, _, count) =>
      json(response, 200, tokens(count, { expires_in: count === 1 ? "60" : undefined, scope: "a  b" }));
    const { token: ask, store } = await setup({ replies: { token } });
    await ask();
    const { issuedAt = 0, ...first } = (await store.read()) ?? {};
    expect(first).toMatchObject({ expiresAt: issuedAt + 60_000, scopes: ["a", "b"] });
    await ask({ rejected: "access-1" });
    expect((await store.read())?.expiresAt).toBeUndefined();
  });

  it("reports a failure, uses a token that has not expired, and does not retry at once", async () => {
    const { token, reported, store, server } = await setup({ secondsLeft: 20, replies: { token: html } });
    for (let count = 0; count < 5; count += 1) expect(await token()).toBe("access-0");
    expect(server.tokenRequests).toHaveLength(1);
    expect(reported).toMatchObject([{ code: "auth:refresh_failed", status: 500 }]);
    expect(await store.read()).toMatchObject({ refreshToken: "refresh-0" });
    expect(await thrown(token({ rejected: "access-0" }))).toMatchObject({ code: "auth:refresh_failed" });
  });

  it("reports a failure in the background without failing a call, and does not retry at once", async () => {
    const { token, reported, settled, server } = await setup({
      secondsLeft: 100,
      replies: { token: html },
    });
    expect(await token()).toBe("access-0");
    await settled();
    await until(() => reported.length > 0);
    for (let count = 0; count < 20; count += 1) expect(await token()).toBe("access-0");
    await settled();
    expect(reported).toMatchObject([{ code: "auth:refresh_failed" }]);
    expect(server.tokenRequests).toHaveLength(1);
  });

  it("causes no unhandled rejection when it fails in the background without a listener", async () => {
    const { options } = await setup({ secondsLeft: 100, replies: { token: html } });
    const { token, settled } = createAuthenticator({ ...options, onBackgroundError: undefined });
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", listener);
    expect(await token()).toBe("access-0");
    await settled();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", listener);
    expect(unhandled).toEqual([]);
  });

  it("is returned when onBackgroundError fails, which is printed", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const problem = new Error("The log is full.");
    const onBackgroundError = (): never => {
      throw problem;
    };
    const { options } = await setup({ secondsLeft: 20, replies: { token: html } });
    const { token } = createAuthenticator({ ...options, onBackgroundError });
    expect(await token()).toBe("access-0");
    expect(warn.mock.calls).toEqual([[expect.stringContaining("onBackgroundError"), problem]]);
    warn.mockRestore();
  });

  it("is retried after a failure by the next call that needs it", async () => {
    const token: Reply = (response, request, count) =>
      count === 1 ? html(response, request, count) : json(response, 200, tokens(count));
    const auth = await setup({ replies: { token } });
    const calls = await Promise.allSettled([auth.token(), auth.token()]);
    expect(calls.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await auth.token()).toBe("access-2");
    expect(refreshTokens(auth.server)).toEqual(["refresh-0", "refresh-0"]);
  });

  it("continues when a call that waits for it is aborted with its own reason", async () => {
    const { token, arrived, answer } = holdTokens();
    const auth = await setup({ replies: { token } });
    const controller = new AbortController();
    const aborted = thrown(auth.token({ signal: controller.signal }));
    const other = auth.token();
    await arrived;
    const reason = new Error("The user left.");
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    expect(await thrown(auth.token({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    answer();
    expect(await other).toBe("access-1");
    expect(auth.server.tokenRequests).toHaveLength(1);
  });

  it("fails a call within its deadline when it is slow, and serves the next", async () => {
    const { token, arrived, answer } = holdTokens();
    const auth = await setup({ replies: { token } });
    expect(await thrown(auth.token({ timeoutMs: 50 }))).toMatchObject({
      name: "AuthError",
      code: "auth:timeout",
      message: expect.stringMatching(/^Got no token within 40 ms: still waiting for /),
    });
    await arrived;
    const next = auth.token();
    answer();
    expect(await next).toBe("access-1");
    expect(auth.server.tokenRequests).toHaveLength(1);
  });

  it("stores a response that arrives after its callers have left", async () => {
    const { token, answer } = holdTokens();
    const auth = await setup({ replies: { token }, timeoutMs: 1_500 });
    expect(await thrown(auth.token())).toMatchObject({ code: "auth:timeout" });
    answer();
    await auth.settled();
    expect(await auth.store.read()).toMatchObject({ refreshToken: "refresh-1" });
    expect(await auth.token()).toBe("access-1");
  });

  it("is abandoned when it never ends, and started again by a later call", async () => {
    let isHanging = true;
    const token: Reply = (response) => (isHanging ? undefined : json(response, 200, tokens(7)));
    const auth = await setup({ replies: { token }, timeoutMs: 60 });
    expect(await thrown(auth.token())).toMatchObject({ code: "auth:timeout" });
    await auth.settled();
    isHanging = false;
    const patient = createAuthenticator({ ...auth.options, timeoutMs: undefined });
    expect(await patient.token()).toBe("access-7");
  });
});
