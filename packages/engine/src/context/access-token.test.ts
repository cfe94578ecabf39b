import { describe, expect, it } from "vitest";
import { VirtualClock } from "../values/clock.js";
import { RandomIds } from "../values/random-ids.js";
import { buildServiceTokenRequest, buildTokenClaims } from "./access-token.js";

const now = Date.UTC(2026, 0, 1, 0, 0, 0, 999);
const source = { clock: new VirtualClock({ frozenAt: now }), ids: new RandomIds(null) };
const seconds = Math.floor(now / 1000);

describe("the claims of an access token", () => {
  it("last an hour, and are in whole seconds", () => {
    const { jti, ...claims } = buildTokenClaims(source, { subject: "usr_a" });
    expect(claims).toEqual({
      sub: "usr_a",
      scope: "workspace:admin",
      iat: seconds,
      nbf: seconds,
      exp: seconds + 3600,
    });
    expect(jti).toMatch(/^\w{24}$/);
  });

  it("are those of the request, whose own claims replace none that the server sets", () => {
    const claims = {
      email: "ada@example.com",
      sub: "usr_b",
      iat: "0",
      nbf: "0",
      jti: "other",
      exp: "0",
      scope: "all",
      grant_id: "other",
    };
    expect(
      buildTokenClaims(source, {
        ...{
          subject: "usr_a",
          tokenId: "tok",
          scopes: ["a", "b"],
          clientId: "c",
          integrationId: "i",
          grantId: "g",
        },
        ...{ expiresAt: 5_999, notBefore: 1_999, claims },
      }),
    ).toEqual({
      ...{ email: "ada@example.com", sub: "usr_a", jti: "tok", scope: "a b" },
      ...{ client_id: "c", integration_id: "i", grant_id: "g", iat: seconds, nbf: 1, exp: 5 },
    });
  });

  it.each([
    [undefined, null],
    [null, null],
    [5_000, 5_000],
  ])(
    "of a service token that expires at %s have its id, and never expire by default",
    (expiresAt, expected) => {
      const request = buildServiceTokenRequest({
        id: "st_a",
        workspaceId: "wksp_a",
        ...(expiresAt !== undefined && { expiresAt }),
      });
      expect(request).toEqual({ subject: "workspace:wksp_a", tokenId: "st_a", expiresAt: expected });
      expect("exp" in buildTokenClaims(source, request)).toBe(expected !== null);
    },
  );
});
