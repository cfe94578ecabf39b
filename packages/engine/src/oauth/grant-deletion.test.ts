import { describe, expect, it } from "vitest";
import { type TokenPair, pairOf, useOAuthApi } from "../../test/oauth/oauth-api.js";

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

  it("end with the line that expires, even if more tokens have expired than one request deletes", async () => {
    for (let count = 0; count < 20; count += 1) await api.login();
    const first = await api.login();
    const [, used = first] = [await next(first), await next(first)];
    await api.engine.clock.advance(89 * day);
    const [later, other] = [await next(used), await api.login()];
    await api.engine.clock.advance(day);
    expect(await refused(later.refreshToken)).toBe("invalid_grant");
    expect((await api.store()).grants.size).toBe(1);
    await next(other);
  });

  it("are deleted with their grants once they are useless", async () => {
    await next(await api.login());
    await api.redeem(await api.code({ scope: "workspace:admin" }));
    await api.engine.clock.advance(91 * day);
    await next(await api.login());
    const { grants, refreshTokens, authorizationCodes } = await api.store();
    expect([grants.size, refreshTokens.size, authorizationCodes.size]).toEqual([1, 2, 1]);
  });
});
