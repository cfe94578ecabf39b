import { createLocalJWKSet, jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { OAuthApi, cli, useOAuthApi } from "../../test/oauth/oauth-api.js";

const metadataPath = "/.well-known/oauth-authorization-server";
const jwksPath = "/.well-known/jwks.json";

describe("metadata and keys (RFC 8414)", () => {
  const api = useOAuthApi();

  const get = (path: string, headers: Record<string, string> = {}) =>
    api.send({ method: "GET", path, headers });

  it("describe the endpoints and what they support", async () => {
    const { status, headers, json } = await get(metadataPath);
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
      200,
      "application/json",
      "public, max-age=60",
    ]);
    expect(json).toEqual({
      issuer: api.issuer,
      authorization_endpoint: `${api.issuer}/authorize`,
      token_endpoint: `${api.issuer}/token`,
      revocation_endpoint: `${api.issuer}/revoke`,
      jwks_uri: api.issuer + jwksPath,
      scopes_supported: ["workspace:admin", "offline_access"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it("include the keys that verify access tokens, without their private parts", async () => {
    const { json } = await get(jwksPath);
    // A JWK set, as the next lines verify.
    const set = json as unknown as Parameters<typeof createLocalJWKSet>[0];
    expect(set.keys.map((key) => Object.keys(key).sort())).toEqual([
      ["alg", "crv", "kid", "kty", "use", "x", "y"],
    ]);
    const { accessToken } = await api.login();
    const { payload } = await jwtVerify(accessToken, createLocalJWKSet(set), {
      issuer: api.issuer,
      audience: api.engine.settings.baseUrl,
      typ: "at+jwt",
      currentDate: new Date(await api.engine.clock.now()),
    });
    expect(payload["client_id"]).toBe(cli.client);
  });

  it("include the keys of a state that was loaded", async () => {
    const other = await OAuthApi.open({ deterministic: "other" });
    await api.engine.load(await other.engine.snapshot());
    expect((await get(jwksPath)).json).toEqual(
      (await other.send({ method: "GET", path: jwksPath, headers: {} })).json,
    );
  });

  it("are read by GET only, and exist at no other path", async () => {
    for (const path of [metadataPath, jwksPath]) {
      const { status, headers } = await api.post(path, {});
      expect([status, headers["allow"]]).toEqual([405, "GET"]);
    }
    for (const path of [
      "/.well-known/openid-configuration",
      `${metadataPath}/`,
      "/token/",
      "/v1/token",
      "//token",
    ]) {
      expect((await get(path)).status).toBe(404);
    }
  });
});

describe("other origins", () => {
  const api = useOAuthApi();
  const origin = "https://app.example";
  const credentials = "access-control-allow-credentials";

  const preflight = (path: string) =>
    api.send({
      method: "OPTIONS",
      path,
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });

  it("can call all endpoints but the authorization page, without credentials", async () => {
    for (const [path, methods] of [
      ["/token", "POST"],
      ["/revoke", "POST"],
      [metadataPath, "GET"],
      [jwksPath, "GET"],
    ] as const) {
      const { status, headers } = await preflight(path);
      expect([
        status,
        headers["access-control-allow-origin"],
        headers["access-control-allow-methods"],
      ]).toEqual([204, "*", methods]);
      expect(headers["access-control-allow-headers"]).toBe("authorization,content-type");
      expect(headers[credentials]).toBeUndefined();
    }
    for (const path of ["/token", "/revoke"]) {
      const { headers } = await api.post(path, {}, { origin });
      expect([headers["access-control-allow-origin"], headers[credentials]]).toEqual(["*", undefined]);
    }
    const { headers: given } = await api.send({ method: "GET", path: metadataPath, headers: { origin } });
    expect(given["access-control-allow-origin"]).toBe("*");
  });

  it("cannot call the authorization page", async () => {
    const { status, headers } = await preflight("/authorize");
    expect([status, headers["access-control-allow-origin"]]).toEqual([405, undefined]);
    const { headers: posted } = await api.post("/authorize", {}, { origin });
    expect(posted["access-control-allow-origin"]).toBeUndefined();
  });
});
