import { describe, expect, it } from "vitest";
import {
  OAuthApi,
  type TokenPair,
  basic,
  cli,
  pairOf,
  web,
  useOAuthApi,
} from "../../test/oauth/oauth-api.js";

describe("revocation (RFC 7009)", () => {
  const api = useOAuthApi();

  const revoke = (token: string, changes: Record<string, string> = {}) =>
    api.revoke({ client_id: cli.client, token, ...changes });
  const lives = async ({ accessToken, refreshToken }: TokenPair) => [
    await api.reach(accessToken),
    (await api.refresh(refreshToken)).status,
  ];

  it("ends the family of a refresh token with all its access tokens, and no others (RFC 7009, section 2.1)", async () => {
    const first = await api.login();
    const latest = pairOf(await api.refresh(first.refreshToken));
    const other = await api.login();
    const { status, headers, text } = await revoke(latest.refreshToken);
    expect([status, text, headers["cache-control"]]).toEqual([200, "", "no-store"]);
    expect(await api.reach(first.accessToken)).toBe(401);
    expect(await lives(latest)).toEqual([401, 400]);
    expect(await lives(other)).toEqual([200, 200]);
  });

  it("ends the family of a used refresh token too", async () => {
    const first = await api.login();
    const latest = pairOf(await api.refresh(first.refreshToken));
    expect((await revoke(first.refreshToken)).status).toBe(200);
    expect(await lives(latest)).toEqual([401, 400]);
  });

  it("ends a single access token", async () => {
    const pair = await api.login();
    const renewed = pairOf(await api.refresh(pair.refreshToken));
    expect(await api.reach(pair.accessToken)).toBe(200);
    expect((await revoke(pair.accessToken)).status).toBe(200);
    expect(await api.reach(pair.accessToken)).toBe(401);
    expect(await lives(renewed)).toEqual([200, 200]);
  });

  it("ignores a wrong or unknown hint (RFC 7009, section 2.1)", async () => {
    for (const token_type_hint of ["access_token", "refresh_token", "cookie", ""]) {
      const pair = await api.login();
      expect((await revoke(pair.refreshToken, { token_type_hint })).status).toBe(200);
      expect(await lives(pair)).toEqual([401, 400]);
    }
  });

  it("succeeds for tokens that are revoked, expired, unknown or malformed (RFC 7009, section 2.2)", async () => {
    const pair = await api.login();
    const expired = await api.engine.tokens.expired();
    await revoke(pair.accessToken);
    await revoke(pair.refreshToken);
    for (const token of [pair.accessToken, pair.refreshToken, expired, "nonsense", "a.b.c", "__proto__"]) {
      expect((await revoke(token)).status).toBe(200);
    }
  });

  it("succeeds for two concurrent requests", async () => {
    const { accessToken, refreshToken } = await api.login();
    const fresh = await OAuthApi.open({ snapshot: await api.engine.snapshot() });
    const form = { client_id: cli.client, token: accessToken };
    const answers = await Promise.all([fresh.revoke(form), fresh.revoke(form)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await fresh.reach(accessToken)).toBe(401);
    expect((await fresh.refresh(refreshToken)).status).toBe(200);
  });

  it("refuses another client's tokens, and ends nothing (RFC 7009, section 2.1)", async () => {
    const pair = await api.login();
    for (const token of [pair.accessToken, pair.refreshToken, await api.engine.tokens.user()]) {
      const { status, error } = await api.revoke({ token }, basic(web.client, web.secret));
      expect([status, error]).toEqual([400, "invalid_grant"]);
    }
    expect(await lives(pair)).toEqual([200, 200]);
  });

  it("ends no service token", async () => {
    const token = await api.engine.tokens.service();
    expect((await revoke(token)).error).toBe("invalid_grant");
    expect(await api.reach(token)).toBe(200);
  });

  it("requires the client's authentication, like the token endpoint", async () => {
    const pair = await api.login();
    const { refreshToken: token } = pair;
    const rejections = await Promise.all([
      api.revoke({ token }),
      api.revoke({ token, client_id: "itgr_nobody" }),
      api.revoke({ token, client_id: web.client }),
      api.revoke({ token, client_id: web.client, client_secret: "wrong" }),
      api.revoke({ token }, basic(web.client, "wrong")),
    ]);
    for (const { status, error } of rejections) expect([status, error]).toEqual([401, "invalid_client"]);
    expect(await lives(pair)).toEqual([200, 200]);
  });

  it("refuses a missing, empty or repeated token with invalid_request", async () => {
    const { refreshToken: token } = await api.login();
    const client_id = cli.client;
    for (const form of [{ client_id }, { client_id, token: "" }, { client_id, token: [token, token] }]) {
      const { status, error } = await api.revoke(form);
      expect([status, error]).toEqual([400, "invalid_request"]);
    }
  });

  it("lasts until the token would have expired, and survives a restart", async () => {
    const { accessToken } = await api.login();
    await revoke(accessToken);
    const restarted = await OAuthApi.open({ snapshot: await api.engine.snapshot() });
    expect(await restarted.reach(accessToken)).toBe(401);
    await restarted.engine.clock.advance(3_600_000);
    await restarted.login();
    expect((await restarted.store()).revokedTokens.size).toBe(0);
  });
});
