import { sha256 } from "#digest";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, it } from "vitest";
import { encodeBase64Url } from "../values/base64.js";
import {
  OAuthApi,
  basic,
  challenge,
  cli,
  pairOf,
  verifier,
  web,
  useOAuthApi,
} from "../../test/oauth/oauth-api.js";

const second = 1_000;

describe("authorization codes (RFC 6749, section 4.1.3)", () => {
  const api = useOAuthApi();

  /** Returns a code for the sample web app, from an authorization request without PKCE. */
  const webCode = (options: { codeChallenge?: string } = {}) =>
    api.engine.oauth
      .consent({ client: web.client, redirectUri: web.redirectUri, ...options })
      .then(({ code }) => code);
  const redeemWeb = (code: string, changes: Record<string, string | undefined> = {}) =>
    api.token({
      grant_type: "authorization_code",
      client_id: web.client,
      client_secret: web.secret,
      redirect_uri: web.redirectUri,
      code,
      ...changes,
    });

  it("return a bearer token, its lifetime and scope, and a refresh token for offline_access (RFC 6749, section 5.1)", async () => {
    const { status, headers, json } = await api.redeem(await api.code());
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      pragma: "no-cache",
    });
    expect(json).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3600,
      scope: "workspace:admin offline_access",
      refresh_token: expect.stringMatching(/^[A-Za-z0-9]{43}$/),
    });
  });

  it("return no refresh token without offline_access", async () => {
    const { json } = await api.redeem(await api.code({ scope: "workspace:admin" }));
    expect([json["scope"], "refresh_token" in json]).toEqual(["workspace:admin", false]);
  });

  it("request workspace:admin when the request names no scope", async () => {
    const { json } = await api.redeem(
      (await api.engine.oauth.consent({ ...cli, codeChallenge: challenge })).code,
    );
    expect(json["scope"]).toBe("workspace:admin");
  });

  it("return access tokens with the claims of the contract", async () => {
    const { defaults } = api;
    const { settings, clock } = api.engine;
    const { accessToken } = await api.login();
    expect(decodeProtectedHeader(accessToken)).toMatchObject({ alg: "ES256", typ: "at+jwt" });
    const now = Math.floor((await clock.now()) / second);
    const [integration] = (await api.store()).integrations.list({});
    expect(decodeJwt(accessToken)).toMatchObject({
      iss: settings.authUrl,
      aud: settings.baseUrl,
      sub: defaults.user.id,
      email: defaults.user.email,
      workspace_id: defaults.workspace.id,
      scope: "workspace:admin offline_access",
      client_id: cli.client,
      integration_id: integration?.id,
      iat: now,
      exp: now + 3600,
      jti: expect.any(String),
    });
    expect(await api.reach(accessToken)).toBe(200);
  });

  it("return tokens without access if workspace:admin is missing", async () => {
    const { accessToken } = await api.login({ scope: "offline_access" });
    expect(await api.reach(accessToken)).toBe(403);
  });

  it("expire after 60 seconds", async () => {
    const [early, late] = [await api.code(), await api.code()];
    await api.engine.clock.advance(60 * second - 1);
    expect((await api.redeem(early)).status).toBe(200);
    await api.engine.clock.advance(1);
    const { status, error } = await api.redeem(late);
    expect([status, error]).toEqual([400, "invalid_grant"]);
  });

  it("are valid once; a second use revokes what the first returned (RFC 6749, section 4.1.2)", async () => {
    const code = await api.code();
    const { accessToken, refreshToken } = pairOf(await api.redeem(code));
    const other = await api.login();
    const { status, error } = await api.redeem(code);
    expect([status, error]).toEqual([400, "invalid_grant"]);
    expect(await api.reach(accessToken)).toBe(401);
    expect((await api.refresh(refreshToken)).error).toBe("invalid_grant");
    expect(await api.reach(other.accessToken)).toBe(200);
    expect((await api.redeem(code)).error).toBe("invalid_grant");
  });

  it("revoke on a late second use too, including all refreshed tokens", async () => {
    const code = await api.code();
    const first = pairOf(await api.redeem(code));
    await api.engine.clock.advance(24 * 3600 * second);
    const latest = pairOf(await api.refresh(first.refreshToken));
    expect((await api.redeem(code)).error).toBe("invalid_grant");
    expect(await api.reach(latest.accessToken)).toBe(401);
    expect((await api.refresh(latest.refreshToken)).error).toBe("invalid_grant");
  });

  it("are redeemed by one of two concurrent requests", async () => {
    const code = await api.code();
    const answers = await Promise.all([api.redeem(code), api.redeem(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const redeemed = answers.find(({ status }) => status === 200);
    expect(await api.reach(String(redeemed?.json["access_token"]))).toBe(401);
  });

  it("refuse another client, and remain valid for their own", async () => {
    const code = await api.code();
    const { error } = await redeemWeb(code, { redirect_uri: cli.redirectUri, code_verifier: verifier });
    expect(error).toBe("invalid_grant");
    expect((await api.redeem(code)).status).toBe(200);
  });

  it("are not revoked by a request that could not have used them", async () => {
    const code = await api.code();
    const { accessToken } = pairOf(await api.redeem(code));
    expect((await redeemWeb(code)).error).toBe("invalid_grant");
    expect((await api.redeem(code, { code_verifier: "a".repeat(43) })).error).toBe("invalid_grant");
    expect((await api.redeem(code, { redirect_uri: "http://127.0.0.1:1/callback" })).error).toBe(
      "invalid_grant",
    );
    expect(await api.reach(accessToken)).toBe(200);
  });

  it.each([
    ["is missing", undefined],
    ["is on another port", "http://127.0.0.1:51235/callback"],
    ["has another path", "http://127.0.0.1:51234/other"],
    ["is the registered one, but not the one that was asked for", "http://127.0.0.1/callback"],
  ])("are refused when the redirect URI %s (RFC 6749, section 4.1.3)", async (_name, redirect_uri) => {
    const { status, error } = await api.redeem(await api.code(), { redirect_uri });
    expect([status, error]).toEqual([400, "invalid_grant"]);
  });

  it("require no redirect URI if the authorization request had none", async () => {
    const { id } = await api.engine.oauth.registerClient({ redirectUris: ["https://app.example/cb"] });
    const code = () =>
      api.engine.oauth.consent({ client: id, codeChallenge: challenge }).then((given) => given.code);
    const redeem = async (redirect_uri?: string) =>
      (await api.redeem(await code(), { client_id: id, redirect_uri })).error;
    expect(await redeem()).toBeUndefined();
    expect(await redeem("https://app.example/cb")).toBeUndefined();
    expect(await redeem("https://app.example/other")).toBe("invalid_grant");
  });

  describe("with PKCE (RFC 7636, section 4.6)", () => {
    it.each([
      ["no verifier", undefined],
      ["an empty verifier", ""],
      ["a wrong verifier", "b".repeat(43)],
      ["the challenge as the verifier", challenge],
      ["a verifier that is too short", "short"],
      ["a verifier that is too long", "a".repeat(129)],
      ["a verifier of other characters", `${verifier.slice(0, 42)}+`],
      ["a verifier with a space after it", `${verifier} `],
    ])("return an error for %s, and remain valid", async (_name, code_verifier) => {
      const code = await api.code();
      const { status, error } = await api.redeem(code, { code_verifier });
      expect([status, error]).toEqual([400, "invalid_grant"]);
      expect((await api.redeem(code)).status).toBe(200);
    });

    it("require the verifier from confidential clients too (RFC 9700, section 4.8)", async () => {
      const code = await webCode({ codeChallenge: challenge });
      expect((await redeemWeb(code)).error).toBe("invalid_grant");
      expect((await redeemWeb(code, { code_verifier: verifier })).status).toBe(200);
    });

    it("accept a verifier of the maximum length", async () => {
      const long = "-._~".repeat(32);
      const codeChallenge = encodeBase64Url(sha256(long));
      expect((await api.redeem(await api.code({ codeChallenge }), { code_verifier: long })).status).toBe(200);
    });
  });

  it("refuse a verifier when the authorization request had no challenge (RFC 9700, section 4.8.2)", async () => {
    const code = await webCode();
    expect((await redeemWeb(code, { code_verifier: verifier })).error).toBe("invalid_grant");
    expect((await redeemWeb(code)).status).toBe(200);
  });

  it.each([
    ["unknown", "a".repeat(43)],
    ["named like a property of all objects", "__proto__"],
    ["longer than any", "a".repeat(10_000)],
  ])("are refused if they are %s", async (_name, code) => {
    const { status, error } = await api.redeem(code);
    expect([status, error]).toEqual([400, "invalid_grant"]);
  });

  type Store = Awaited<ReturnType<typeof api.engine.snapshot>>["store"];
  it.each<[string, (store: Store) => void]>([
    [
      "their user has left the workspace",
      ({ workspaces }) => workspaces.rows.forEach(([, workspace]) => (workspace.memberIds = [])),
    ],
    ["their user does not exist", ({ users }) => users.rows.splice(0)],
    [
      "their integration is that of another client",
      ({ integrations }) => integrations.rows.forEach(([, row]) => (row.clientId = web.client)),
    ],
    [
      "their integration is in another workspace",
      ({ integrations }) => integrations.rows.forEach(([, row]) => (row.workspaceId = "wksp_other")),
    ],
  ])("are refused once %s, and so are refresh tokens", async (_name, change) => {
    const { refreshToken } = await api.login();
    const code = await api.code();
    const snapshot = await api.engine.snapshot();
    change(snapshot.store);
    await api.engine.load(snapshot);
    expect((await api.redeem(code)).error).toBe("invalid_grant");
    expect((await api.refresh(refreshToken)).error).toBe("invalid_grant");
  });

  it("survive a restart", async () => {
    const code = await api.code();
    const restarted = await OAuthApi.open({ snapshot: await api.engine.snapshot() });
    expect((await restarted.redeem(code)).status).toBe(200);
  });

  it("end with a reset", async () => {
    const code = await api.code();
    await api.engine.reset();
    expect((await api.redeem(code)).error).toBe("invalid_grant");
  });

  it("are stored as digests only, like the tokens that they return", async () => {
    const unused = await api.code();
    const used = await api.code();
    const { accessToken, refreshToken } = pairOf(await api.redeem(used));
    const { id, secret } = await api.engine.oauth.registerClient({
      redirectUris: ["https://app.example/cb"],
      confidential: true,
    });
    const state = JSON.stringify((await api.engine.snapshot()).store);
    expect(state).toContain(id);
    for (const value of [unused, used, accessToken, refreshToken, secret, web.secret]) {
      expect(value).toBeTruthy();
      expect(state).not.toContain(value);
    }
  });

  it("are not written to the request log, nor are the other parameters", async () => {
    const code = await api.code();
    const { refreshToken } = pairOf(await api.redeem(code));
    await api.refresh(refreshToken);
    await redeemWeb("wrong");
    await api.token({ grant_type: "authorization_code", code }, basic(web.client, web.secret));
    await api.revoke({ client_id: cli.client, token: refreshToken });
    const log = JSON.stringify(api.engine.requests);
    for (const value of [code, refreshToken, verifier, web.secret]) expect(log).not.toContain(value);
    expect(
      api.engine.requests.map(({ operationId, body, code: error }) => [operationId, body, error]),
    ).toEqual([
      ["oauth.token", { client_id: cli.client, grant_type: "authorization_code" }, null],
      ["oauth.token", { client_id: cli.client, grant_type: "refresh_token" }, null],
      ["oauth.token", { client_id: web.client, grant_type: "authorization_code" }, "invalid_grant"],
      ["oauth.token", { client_id: web.client, grant_type: "authorization_code" }, "invalid_grant"],
      ["oauth.revoke", { client_id: cli.client }, null],
    ]);
  });
});
