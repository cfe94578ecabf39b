import { describe, expect, it } from "vitest";
import { LoginRequiredError, createAuthenticator, memoryStore } from "@mgmt/sdk/auth";
import { json, thrown } from "../server.js";
import { invalidGrant, refreshTokens, setup } from "./authenticator-setup.js";
import { type Reply, credentialFor, startFaultServer, tokens } from "./fault-server.js";

describe("a login", () => {
  const expectLoginRequired = async (
    call: Promise<unknown>,
    message: string,
    hint = "Log in.",
  ): Promise<LoginRequiredError> => {
    const error = await thrown(call);
    if (!(error instanceof LoginRequiredError)) throw error;
    expect(error).toMatchObject({ code: "auth:login_required", message, hint });
    return error;
  };

  it("is required when there is none", async () => {
    const server = await startFaultServer();
    const { token } = createAuthenticator({ authUrl: server.baseUrl, clientId: "app", store: memoryStore() });
    await expectLoginRequired(token(), "There is no stored login", "Log in.");
    await expectLoginRequired(token({ rejected: "x" }), "There is no stored login", "Log in.");
    expect(server.seen).toEqual([]);
  });

  it("ends without a refresh token when its access token expires or is rejected", async () => {
    const message = "The access token has expired, and there is no refresh token";
    const credential = { refreshToken: undefined };
    const { token, server } = await setup({ secondsLeft: 3, credential });
    expect(await token()).toBe("access-0");
    await expectLoginRequired(token({ rejected: "access-0" }), message);
    const ended = await setup({ secondsLeft: -1, credential });
    await expectLoginRequired(ended.token(), message);
    expect([...server.seen, ...ended.server.seen]).toEqual([]);
  });

  it("is removed when the server ends it (invalid_grant)", async () => {
    const { token, store } = await setup({ secondsLeft: 10, replies: { token: invalidGrant } });
    const error = await expectLoginRequired(token(), "The authorization server no longer accepts the login");
    expect(error.cause).toMatchObject({
      code: "auth:refresh_failed",
      oauthError: "invalid_grant",
      status: 400,
    });
    expect(await store.read()).toBeUndefined();
    await expectLoginRequired(token(), "There is no stored login", "Log in.");
  });

  it.each(["grant", "invalid_grant", "id"])(
    "is removed when the server ends it, and its refresh token %j occurs in the code of the error",
    async (refreshToken) => {
      const auth = await setup({
        secondsLeft: 10,
        credential: { refreshToken },
        replies: { token: invalidGrant },
      });
      const error = await expectLoginRequired(
        auth.token(),
        "The authorization server no longer accepts the login",
      );
      expect(error.oauthError).toBe("invalid_grant");
      expect(await auth.store.read()).toBeUndefined();
    },
  );

  it.each(["invalid_client", "unauthorized_client", "invalid_request", "invalid_scope"])(
    "survives a refresh that is refused with %s",
    async (error) => {
      const token: Reply = (response) => json(response, 400, { error });
      const auth = await setup({ replies: { token } });
      expect(await thrown(auth.token())).toMatchObject({ code: "auth:refresh_failed", oauthError: error });
      expect(await auth.store.read()).toMatchObject({ refreshToken: "refresh-0" });
    },
  );

  it("is used unchanged when it was replaced while its refresh was refused", async () => {
    const token: Reply = (response, request, count) =>
      void store.write(theirs).then(() => invalidGrant(response, request, count));
    const { token: ask, store, server } = await setup({ replies: { token } });
    const theirs = credentialFor(server, 3600, { accessToken: "theirs", refreshToken: "refresh-9" });
    expect(await ask()).toBe("theirs");
    expect(await store.read()).toEqual(theirs);
    expect(server.tokenRequests).toHaveLength(1);
  });

  it("is refreshed once when it replaced another and has expired too", async () => {
    const token: Reply = (response, request, count) => {
      if (count > 1) json(response, 200, tokens(count));
      else void store.write(theirs).then(() => invalidGrant(response, request, count));
    };
    const { token: ask, store, server } = await setup({ replies: { token } });
    const theirs = credentialFor(server, -1, { accessToken: "theirs", refreshToken: "refresh-9" });
    expect(await ask()).toBe("access-2");
    expect(refreshTokens(server)).toEqual(["refresh-0", "refresh-9"]);
    expect(await store.read()).toMatchObject({ refreshToken: "refresh-2" });
  });

  it("is not removed when it replaced another and is refused too, because it may have been replaced again", async () => {
    const token: Reply = (response, request, count) =>
      void store.write(theirs).then(() => invalidGrant(response, request, count));
    const { token: ask, store, server } = await setup({ replies: { token } });
    const theirs = credentialFor(server, -1, { accessToken: "theirs", refreshToken: "refresh-9" });
    await expectLoginRequired(ask(), "The authorization server no longer accepts the login");
    expect(server.tokenRequests).toHaveLength(2);
    expect(await store.read()).toEqual(theirs);
  });

  it("stays removed when a logout happened while its refresh was refused", async () => {
    const token: Reply = (response, request, count) =>
      void store.clear().then(() => invalidGrant(response, request, count));
    const { token: ask, store } = await setup({ replies: { token } });
    await expectLoginRequired(ask(), "There is no stored login", "Log in.");
    expect(await store.read()).toBeUndefined();
  });

  it.each([{ issuer: "https://evil.example.com" }, { clientId: "other" }])(
    "sends nothing to another server or client: %j",
    async (credential) => {
      for (const secondsLeft of [3600, -1]) {
        const { token, server, store } = await setup({ secondsLeft, credential });
        expect(await thrown(token())).toMatchObject({ code: "auth:issuer_mismatch" });
        expect(await thrown(token({ rejected: "x" }))).toMatchObject({ code: "auth:issuer_mismatch" });
        expect(server.seen).toEqual([]);
        expect(await store.read()).toMatchObject(credential);
      }
    },
  );
});
