import { decodeJwt } from "jose";
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

const second = 1_000;
const day = 86_400 * second;

describe("refresh tokens", () => {
  const api = useOAuthApi();

  const next = async ({ refreshToken }: TokenPair): Promise<TokenPair> =>
    pairOf(await api.refresh(refreshToken));
  const refused = async (token: string) => {
    const { status, error } = await api.refresh(token);
    return status === 400 ? error : status;
  };

  it("are rotated at each refresh", async () => {
    const first = await api.login();
    const second = await next(first);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.accessToken).not.toBe(first.accessToken);
    const third = await next(second);
    for (const { accessToken } of [first, second, third]) expect(await api.reach(accessToken)).toBe(200);
  });

  it("return a separate pair for one replay within 10 s, and both pairs remain valid", async () => {
    const first = await api.login();
    const one = await next(first);
    await api.engine.clock.advance(10 * second);
    const other = await next(first);
    expect(other.refreshToken).not.toBe(one.refreshToken);
    const [oneOn, otherOn] = [await next(one), await next(other)];
    for (const { accessToken } of [one, other, oneOn, otherOn])
      expect(await api.reach(accessToken)).toBe(200);
  });

  it("refuse a replay after 10 s, and revoke the whole family with its access tokens", async () => {
    const first = await api.login();
    const latest = await next(await next(first));
    const bystander = await api.login();
    await api.engine.clock.advance(10 * second + 1);
    expect(await refused(first.refreshToken)).toBe("invalid_grant");
    expect(await refused(latest.refreshToken)).toBe("invalid_grant");
    for (const { accessToken } of [first, latest]) expect(await api.reach(accessToken)).toBe(401);
    expect(await api.reach(bystander.accessToken)).toBe(200);
    await next(bystander);
  });

  it("refuse the second replay within 10 s, and revoke the whole family", async () => {
    const first = await api.login();
    const pairs = [await next(first), await next(first)];
    expect(await refused(first.refreshToken)).toBe("invalid_grant");
    for (const { refreshToken, accessToken } of pairs) {
      expect(await refused(refreshToken)).toBe("invalid_grant");
      expect(await api.reach(accessToken)).toBe(401);
    }
  });

  it("start the grace period at the use of each token of the family", async () => {
    const first = await api.login();
    await api.engine.clock.advance(3600 * second);
    const renewed = await next(first);
    await api.engine.clock.advance(9 * second);
    await next(renewed);
    await api.engine.clock.advance(9 * second);
    await next(renewed);
    expect(await refused(first.refreshToken)).toBe("invalid_grant");
  });

  it("succeed for two of three concurrent requests, and then end the family", async () => {
    const { refreshToken } = await api.login();
    const answers = await Promise.all([1, 2, 3].map(() => api.refresh(refreshToken)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400]);
    for (const { json } of answers.filter(({ status }) => status === 200))
      expect(await refused(String(json["refresh_token"]))).toBe("invalid_grant");
  });

  it("expire after 90 days each", async () => {
    let pair = await api.login();
    await api.engine.clock.advance(90 * day - 1);
    pair = await next(pair);
    await api.engine.clock.advance(90 * day);
    expect(await refused(pair.refreshToken)).toBe("invalid_grant");
    await api.engine.clock.advance(2 * day);
    expect(await refused(pair.refreshToken)).toBe("invalid_grant");
  });

  it("end 180 days after the login, however often they are used, and so do the access tokens", async () => {
    let pair = await api.login();
    for (const days of [80, 80]) {
      await api.engine.clock.advance(days * day);
      pair = await next(pair);
    }
    await api.engine.clock.advance(20 * day - 60 * second);
    const last = await api.refresh(pair.refreshToken);
    expect(last.json["expires_in"]).toBe(60);
    pair = pairOf(last);
    expect(decodeJwt(pair.accessToken).exp).toBe((await api.engine.clock.now()) / second + 60);
    await api.engine.clock.advance(60 * second);
    expect(await refused(pair.refreshToken)).toBe("invalid_grant");
    expect(await api.reach(pair.accessToken)).toBe(401);
  });

  it.each([
    ["is refreshed by the client that replayed", 0, 1],
    ["is refreshed by the client that was first", 1, 0],
  ])("end with the line that expires, if the other line %s", async (_, unused, used) => {
    const first = await api.login();
    const lines = [await next(first), await next(first)];
    await api.engine.clock.advance(89 * day);
    const later = await next(lines[used] ?? first);
    await api.engine.clock.advance(day);
    expect(await refused(later.refreshToken)).toBe("invalid_grant");
    expect(await refused(lines[unused]?.refreshToken ?? "")).toBe("invalid_grant");
    expect((await api.store()).grants.size).toBe(0);
  });

  it("end with a replay in, or the revocation of, either line of a replayed token", async () => {
    for (const end of [
      async (line: TokenPair) => {
        await next(await next(line));
        await api.engine.clock.advance(11 * second);
        await refused(line.refreshToken);
      },
      (line: TokenPair) => api.revoke({ client_id: cli.client, token: line.refreshToken }),
    ]) {
      for (const [ended, other] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const first = await api.login();
        const lines = [await next(first), await next(first)];
        await end(lines[ended] ?? first);
        expect(await refused(lines[other]?.refreshToken ?? "")).toBe("invalid_grant");
        expect(await api.reach(lines[other]?.accessToken ?? "")).toBe(401);
      }
    }
  });

  it("remain valid after their access token has expired", async () => {
    const pair = await api.login();
    await api.engine.clock.advance(3600 * second);
    expect(await api.reach(pair.accessToken)).toBe(401);
    expect(await api.reach((await next(pair)).accessToken)).toBe(200);
  });

  it("return fewer scopes on request, and all again without a request (RFC 6749, section 6)", async () => {
    const pair = await api.login();
    const narrow = await api.refresh(pair.refreshToken, { scope: "offline_access" });
    expect([narrow.json["scope"], decodeJwt(pairOf(narrow).accessToken)["scope"]]).toEqual([
      "offline_access",
      "offline_access",
    ]);
    expect(await api.reach(pairOf(narrow).accessToken)).toBe(403);
    const wide = await api.refresh(pairOf(narrow).refreshToken);
    expect(wide.json["scope"]).toBe("workspace:admin offline_access");
  });

  it.each([
    ["beyond the grant", "workspace:admin"],
    ["that is unknown", "openid"],
  ])("refuse a scope %s with invalid_scope, and remain valid", async (_name, scope) => {
    const { refreshToken } = await api.login({ scope: "offline_access" });
    const { status, error } = await api.refresh(refreshToken, { scope });
    expect([status, error]).toEqual([400, "invalid_scope"]);
    expect((await api.refresh(refreshToken)).status).toBe(200);
  });

  it("refuse another client, and their family remains valid", async () => {
    const pair = await api.login();
    const { error } = await api.token(
      { grant_type: "refresh_token", refresh_token: pair.refreshToken },
      basic(web.client, web.secret),
    );
    expect(error).toBe("invalid_grant");
    await next(pair);
  });

  it.each(["", " ", "unknown", "__proto__", "a".repeat(20_000)])(
    "refuse texts that were never issued: %#",
    async (token) => {
      const { status, error } = await api.refresh(token);
      expect([status, error]).toEqual([400, token === "" ? "invalid_request" : "invalid_grant"]);
    },
  );

  it("differ from access tokens and codes, which cannot be used in their place", async () => {
    const { accessToken, refreshToken } = await api.login();
    expect(await api.reach(refreshToken)).toBe(401);
    expect(await refused(accessToken)).toBe("invalid_grant");
    expect((await api.redeem(refreshToken)).error).toBe("invalid_grant");
    expect(await refused(await api.code())).toBe("invalid_grant");
  });

  it("use the grace period and the lifetimes of the settings", async () => {
    const own = await OAuthApi.open({
      settings: {
        oauth: { refreshGrace: 0, accessToken: 60 * second, refreshToken: 120 * second, code: second },
      },
    });
    const pair = await own.login();
    expect(decodeJwt(pair.accessToken).exp).toBe((await own.engine.clock.now()) / second + 60);
    await own.engine.clock.advance(119 * second);
    expect((await own.refresh(pair.refreshToken)).status).toBe(200);
    await own.engine.clock.advance(1);
    expect((await own.refresh(pair.refreshToken)).error).toBe("invalid_grant");
    const code = await own.code();
    await own.engine.clock.advance(second);
    expect((await own.redeem(code)).error).toBe("invalid_grant");
  });
});
