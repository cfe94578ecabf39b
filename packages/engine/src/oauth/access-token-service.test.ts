import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "@mgmt/engine";
import { type Face, openMock } from "../../../mock/test/faces.js";
import { AccessTokenService } from "./access-token-service.js";
import { SigningKeys } from "./signing-keys.js";

describe("access tokens", () => {
  let face: Face;
  beforeAll(async () => {
    face = await openMock();
  });
  beforeEach(() => face.engine.reset());
  afterAll(() => face.close());

  const me = async (token: string | undefined, headers: Record<string, string> = {}) => {
    const { status, code, headers: received } = await face.send("GET", "/v1/me", { token, headers });
    if (status === 401) expect(received.get("www-authenticate")).toBe("Bearer");
    return status === 200 ? 200 : code;
  };

  const header = () => ({ alg: "ES256", typ: "at+jwt", kid: signingKey().kid });
  const signingKey = () => {
    const [key] = face.engine.snapshot().signingKeys;
    if (!key) throw new Error("no key");
    return key;
  };
  const claims = (changes: Record<string, unknown> = {}) => {
    const { defaults, settings, clock } = face.engine;
    const now = Math.floor(clock.now() / 1000);
    return {
      iss: settings.authUrl,
      aud: settings.baseUrl,
      sub: defaults.user.id,
      email: defaults.user.email,
      workspace_id: defaults.workspace.id,
      scope: "workspace:admin",
      iat: now,
      nbf: now,
      exp: now + 3600,
      jti: "test",
      ...changes,
    };
  };
  /** Signed with the server's own key, so that only the change of the test can cause a refusal. */
  const forge = (changes: Record<string, unknown> = {}, protectedHeader: Record<string, unknown> = {}) => {
    const { kid: _kid, ...jwk } = signingKey();
    return new SignJWT(claims(changes))
      .setProtectedHeader({ ...header(), ...protectedHeader })
      .sign(createPrivateKey({ format: "jwk", key: jwk }));
  };

  it("stay valid when the clock is moved back, as after a correction of the system's clock", async () => {
    const { tokens, clock } = face.engine;
    const kinds = ["user", "agent", "service"] as const;
    const before = await Promise.all(kinds.map((kind) => tokens[kind]()));
    const later = await tokens.user({ notBefore: clock.now() + 60_000 });
    await clock.set(clock.now() - 2 * 86_400_000);
    const after = await Promise.all(kinds.map((kind) => tokens[kind]()));
    for (const token of [...before, ...after]) expect(await me(token)).toBe(200);
    expect(await me(later)).toBe("auth:unauthorized");
  });

  it("stay valid when the server starts again with an earlier clock", async () => {
    const first = new MemoryServer({ startAt: Date.UTC(2026, 5, 3), frozen: true });
    const token = await first.tokens.service();
    const again = new MemoryServer({
      snapshot: { ...first.snapshot(), clock: { frozenAt: Date.UTC(2026, 5, 1) } },
    });
    const headers = { authorization: `Bearer ${token}` };
    expect((await again.handle({ method: "GET", path: "/v1/me", headers })).status).toBe(200);
  });

  it("accepts a token of its own key, type, issuer and audience", async () => {
    expect(await me(await forge())).toBe(200);
  });

  it("signs JWTs of type at+jwt with ES256, kid, iss, aud, iat, exp after an hour, and jti", async () => {
    const token = await face.engine.tokens.user();
    expect(decodeProtectedHeader(token)).toEqual(header());
    const { jti, nbf, ...rest } = decodeJwt(token);
    expect(jti).toMatch(/^[a-z0-9]{24}$/);
    const { jti: _jti, nbf: _nbf, ...expected } = claims();
    expect(rest).toEqual(expected);
    expect(nbf).toBe(rest.iat);
  });

  it("signs a service token for workspace:<id>, without workspace_id and without an expiration", async () => {
    const token = decodeJwt(await face.engine.tokens.service());
    expect(token.sub).toBe(`workspace:${face.engine.defaults.workspace.id}`);
    expect([token["workspace_id"], token.exp]).toEqual([undefined, undefined]);
  });

  it("signs an agent's token with act, its own sub and its sponsor", async () => {
    const { defaults, tokens } = face.engine;
    const token = decodeJwt(await tokens.agent());
    expect(token).toMatchObject({
      act: "agent",
      sub: defaults.agentId,
      sponsor: defaults.user.id,
      workspace_id: defaults.workspace.id,
    });
  });

  const rejections: [string, () => Promise<string>][] = [
    ["alg none", () => Promise.resolve(new UnsecuredJWT(claims()).encode())],
    [
      "alg none under a real header",
      async () => {
        const [, payload] = (await forge()).split(".");
        const forged = Buffer.from(JSON.stringify({ ...header(), alg: "none" })).toString("base64url");
        return `${forged}.${payload ?? ""}.`;
      },
    ],
    [
      "HS256 with the public key as the secret",
      () => {
        const { x, y, crv, kty, kid } = signingKey();
        const secret = new TextEncoder().encode(JSON.stringify({ x, y, crv, kty }));
        return new SignJWT(claims()).setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid }).sign(secret);
      },
    ],
    [
      "another key under the server's kid",
      () => {
        const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
        return new SignJWT(claims()).setProtectedHeader(header()).sign(privateKey);
      },
    ],
    ["an unknown kid", () => forge({}, { kid: "unknown" })],
    ["no kid", () => forge({}, { kid: undefined })],
    ["type JWT", () => forge({}, { typ: "JWT" })],
    ["no type", () => forge({}, { typ: undefined })],
    ["another issuer", () => forge({ iss: "https://auth.example.com" })],
    ["another audience", () => forge({ aud: "https://api.example.com" })],
    ["no audience", () => forge({ aud: undefined })],
    ["no jti", () => forge({ jti: undefined })],
    ["no subject", () => forge({ sub: undefined })],
    ["no iat", () => forge({ iat: undefined })],
    ["no workspace", () => forge({ workspace_id: undefined })],
    ["no exp on a user's token", () => forge({ exp: undefined })],
    ["an exp that is not a number", () => forge({ exp: "tomorrow" })],
    ["an exp in the past", () => forge({ exp: 1 })],
    ["an nbf in the future of iat", () => forge({ nbf: claims().iat + 60 })],
    ["another act", () => forge({ act: "robot" })],
    ["an agent without a sponsor", () => forge({ act: "agent" })],
    [
      "an agent whose sponsor is another workspace's",
      () => forge({ act: "agent", sub: "agent_x", sponsor: face.engine.defaults.otherUser.id }),
    ],
    ["a user that does not exist", () => forge({ sub: "usr_nobody" })],
    [
      "a workspace that the user is no member of",
      () => forge({ workspace_id: face.engine.defaults.otherWorkspace.id }),
    ],
    ["a workspace that does not exist", () => forge({ workspace_id: "wksp_none" })],
    [
      "a service token that was never made",
      () =>
        forge({
          sub: `workspace:${face.engine.defaults.workspace.id}`,
          jti: "stk_none",
          workspace_id: undefined,
        }),
    ],
    [
      "a service token under another workspace",
      () =>
        forge({
          sub: `workspace:${face.engine.defaults.otherWorkspace.id}`,
          jti: face.engine.defaults.serviceToken.id,
        }),
    ],
    ["an integration that does not exist", () => forge({ integration_id: "itgr_none" })],
    [
      "a changed payload",
      async () => {
        const [head, , signature] = (await forge()).split(".");
        const payload = Buffer.from(JSON.stringify(claims({ sub: face.engine.defaults.otherUser.id })));
        return `${head ?? ""}.${payload.toString("base64url")}.${signature ?? ""}`;
      },
    ],
    ["garbage", () => Promise.resolve("not.a.token")],
    ["a token longer than any", () => Promise.resolve("a".repeat(20_000))],
  ];

  it.each(rejections)("refuses %s with 401", async (_name, token) => {
    const forged = await token();
    expect(await me(forged)).toBe("auth:unauthorized");
    expect(await me(forged)).toBe("auth:unauthorized");
  });

  it.each([
    ["no Authorization header", undefined],
    ["an empty bearer token", "Bearer "],
    ["another scheme", "Basic YTpi"],
    ["a bare token", "token"],
    ["two tokens", "Bearer a b"],
  ])("refuses %s with 401", async (_name, authorization) => {
    expect(await me(undefined, authorization === undefined ? {} : { authorization })).toBe(
      "auth:unauthorized",
    );
  });

  it.each([
    ["text before the scheme", (token: string) => `x Bearer ${token}`],
    ["text after the token", (token: string) => `Bearer ${token} x`],
    ["no space after the scheme", (token: string) => `Bearer${token}`],
  ])("refuses %s with 401", async (_name, headerOf) => {
    const authorization = headerOf(await face.engine.tokens.user());
    expect(await me(undefined, { authorization })).toBe("auth:unauthorized");
  });

  it("accept the scheme in any case, and several spaces after it (RFC 6750, section 2.1)", async () => {
    const token = await face.engine.tokens.user();
    expect(await me(undefined, { authorization: `bearer ${token}` })).toBe(200);
    expect(await me(undefined, { authorization: `Bearer   ${token}` })).toBe(200);
  });

  it("are never repeated in a refusal", async () => {
    const token = await forge({ exp: 1 });
    const { text } = await face.send("GET", "/v1/me", { token });
    expect(text).not.toContain(token.slice(-20));
  });

  it("remembers the newest tokens, and verifies the others again", async () => {
    const keys = new SigningKeys(face.engine.snapshot().signingKeys);
    const service = new AccessTokenService(keys, face.engine.settings, 2);
    const [first = "", second = "", third = ""] = await Promise.all(
      ["first", "second", "third"].map((jti) => forge({ jti })),
    );
    const token = await service.verify(first);
    expect(token).toMatchObject({ principal: { tokenId: "first" } });
    await service.verify(second);
    expect(service.verify(first)).toBe(token);
    await service.verify(third);
    const verification = service.verify(first);
    expect(verification).toBeInstanceOf(Promise);
    expect(await verification).toEqual(token);
    expect(service.verify(third)).not.toBeInstanceOf(Promise);
  });

  it("refuses a cached token as soon as it expires", async () => {
    const token = await face.engine.tokens.user();
    expect(await me(token)).toBe(200);
    await face.engine.clock.advance(3_599_999);
    expect(await me(token)).toBe(200);
    await face.engine.clock.advance(1);
    expect(await me(token)).toBe("auth:unauthorized");
  });

  it("refuses a cached service token as soon as it is deleted", async () => {
    const { engine } = face;
    const { id, value } = await engine.seed.serviceToken();
    expect(await me(value)).toBe(200);
    const path = `/v1/workspaces/${engine.defaults.workspace.id}/service-tokens/${id}`;
    expect((await face.send("DELETE", path, { token: value })).status).toBe(204);
    expect(await me(value)).toBe("auth:unauthorized");
  });

  it("refuses the tokens of an integration as soon as it is deleted, and no others", async () => {
    const { engine } = face;
    const { integration } = await engine.seed.integration();
    const token = await engine.tokens.user({ integrationId: integration.id });
    const other = await engine.tokens.user();
    expect(await me(token)).toBe(200);
    expect((await face.send("DELETE", `/v1/integrations/${integration.id}`, { token: other })).status).toBe(
      204,
    );
    expect(await me(token)).toBe("auth:unauthorized");
    expect(await me(other)).toBe(200);
  });

  it("accepts the tokens of a server whose state it has loaded, and no longer its own", async () => {
    const settings = { baseUrl: face.baseUrl, authUrl: face.engine.settings.authUrl };
    const other = new MemoryServer({
      settings,
      validateResponses: true,
      startAt: face.engine.clock.now(),
      frozen: true,
    });
    const [own, foreign] = await Promise.all([face.engine.tokens.user(), other.tokens.user()]);
    expect(await me(foreign)).toBe("auth:unauthorized");
    expect(await me(own)).toBe(200);
    await face.engine.load(other.snapshot());
    expect(await me(foreign)).toBe(200);
    expect(await me(own)).toBe("auth:unauthorized");
  });

  it("accepts the tokens of another server with the same seed", async () => {
    const other = new MemoryServer({ deterministic: "engine" });
    expect(await me(await other.tokens.user())).toBe(200);
    expect(await me(await new MemoryServer({ deterministic: "other" }).tokens.user())).toBe(
      "auth:unauthorized",
    );
  });
});
