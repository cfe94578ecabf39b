import { setupMock } from "@mgmt/mock";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cli, web } from "./oauth-api.js";

const scope = "workspace:admin offline_access";

const clients: [string, oauth.Client, oauth.ClientAuth, string][] = [
  ["a public client", { client_id: cli.client }, oauth.None(), cli.redirectUri],
  ["client_secret_basic", { client_id: web.client }, oauth.ClientSecretBasic(web.secret), web.redirectUri],
  ["client_secret_post", { client_id: web.client }, oauth.ClientSecretPost(web.secret), web.redirectUri],
];

describe("oauth4webapi", () => {
  const mock = setupMock();
  let server: oauth.AuthorizationServer;
  beforeAll(() => mock.listen({ onUnhandledRequest: "error" }));
  beforeEach(async () => {
    await mock.reset();
    const issuer = new URL(mock.authUrl);
    const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2" });
    server = await oauth.processDiscoveryResponse(issuer, response);
  });
  afterAll(() => mock.close());

  const consentAt = async (client: oauth.Client, redirectUri: string, verifier: string, state: string) => {
    const url = new URL(server.authorization_endpoint ?? "");
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    return new URL((await mock.oauth.consent({ url })).redirect);
  };

  it.each(clients)(
    "accepts a whole flow of %s, from metadata to revocation",
    async (_name, client, authentication, redirectUri) => {
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const callback = await consentAt(client, redirectUri, verifier, state);
      const parameters = oauth.validateAuthResponse(server, client, callback, state);
      const given = await oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          redirectUri,
          verifier,
        ),
      );
      expect(given).toMatchObject({ token_type: "bearer", expires_in: 3600, scope });

      const refreshed = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, authentication, given.refresh_token ?? ""),
      );
      const { access_token: accessToken, refresh_token: refreshToken = "" } = refreshed;
      const claims = await oauth.validateJwtAccessToken(
        server,
        new Request(`${mock.baseUrl}/v1/me`, { headers: { authorization: `Bearer ${accessToken}` } }),
        mock.baseUrl,
      );
      expect(claims).toMatchObject({ client_id: client.client_id, sub: mock.defaults.user.id, scope });
      const me = new URL(`${mock.baseUrl}/v1/me`);
      expect((await oauth.protectedResourceRequest(accessToken, "GET", me)).status).toBe(200);

      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, authentication, refreshToken),
      );
      await expect(oauth.protectedResourceRequest(accessToken, "GET", me)).rejects.toMatchObject({
        status: 401,
        cause: [{ scheme: "bearer" }],
      });
      await expect(
        oauth
          .refreshTokenGrantRequest(server, client, authentication, refreshToken)
          .then((response) => oauth.processRefreshTokenResponse(server, client, response)),
      ).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
    },
  );

  it("detects another state, another issuer and an error (RFC 9207; RFC 9700, section 4.4)", async () => {
    const client = { client_id: cli.client };
    const callback = await consentAt(client, cli.redirectUri, oauth.generateRandomCodeVerifier(), "mine");
    expect(() => oauth.validateAuthResponse(server, client, callback, "another")).toThrow(/state/);
    const elsewhere = new URL(callback);
    elsewhere.searchParams.set("iss", "https://auth.example");
    expect(() => oauth.validateAuthResponse(server, client, elsewhere, "mine")).toThrow(/iss/);
    const silent = new URL(callback);
    silent.searchParams.delete("iss");
    expect(() => oauth.validateAuthResponse(server, client, silent, "mine")).toThrow(/iss/);
    const { redirect } = mock.oauth.deny({ ...cli, state: "mine", codeChallenge: "a".repeat(43) });
    expect(() => oauth.validateAuthResponse(server, client, new URL(redirect), "mine")).toThrow(
      expect.objectContaining({ error: "access_denied" }),
    );
  });

  it("parses every refusal of the token endpoint", async () => {
    const client = { client_id: web.client };
    const request = oauth.genericTokenEndpointRequest;
    const rejections: [oauth.ClientAuth, string, Record<string, string>, string, number][] = [
      [oauth.ClientSecretBasic("wrong"), "refresh_token", { refresh_token: "x" }, "invalid_client", 401],
      [oauth.ClientSecretBasic(web.secret), "refresh_token", { refresh_token: "x" }, "invalid_grant", 400],
      [oauth.ClientSecretBasic(web.secret), "refresh_token", {}, "invalid_request", 400],
      [oauth.ClientSecretBasic(web.secret), "password", {}, "unsupported_grant_type", 400],
    ];
    for (const [authentication, grantType, parameters, error, status] of rejections) {
      const response = await request(server, client, authentication, grantType, parameters);
      const processed = oauth.processGenericTokenEndpointResponse(server, client, response);
      if (status === 401)
        await expect(processed).rejects.toMatchObject({ status, cause: [{ scheme: "basic" }] });
      else await expect(processed).rejects.toMatchObject({ error, status });
    }
  });
});

describe("openid-client", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer();
  });
  afterAll(() => server.close());

  it.each([
    ["a public client", cli.client, cli.redirectUri, openid.None()],
    ["client_secret_basic", web.client, web.redirectUri, openid.ClientSecretBasic(web.secret)],
    ["client_secret_post", web.client, web.redirectUri, openid.ClientSecretPost(web.secret)],
  ])(
    "accepts a whole flow of %s over HTTP, from metadata to revocation",
    async (_name, clientId, redirectUri, authentication) => {
      const configuration = await openid.discovery(new URL(server.baseUrl), clientId, {}, authentication, {
        algorithm: "oauth2",
        execute: [openid.allowInsecureRequests],
      });
      expect(configuration.serverMetadata().supportsPKCE()).toBe(true);
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        state: expectedState,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      });
      const { redirect } = await server.engine.oauth.consent({ url });
      const callback = new URL(redirect);
      const given = await openid.authorizationCodeGrant(configuration, callback, {
        pkceCodeVerifier,
        expectedState,
      });
      expect(given.scope).toBe(scope);
      const refreshed = await openid.refreshTokenGrant(configuration, given.refresh_token ?? "");
      const me = new URL(`${server.baseUrl}/v1/me`);
      const answer = await openid.fetchProtectedResource(configuration, refreshed.access_token, me, "GET");
      expect(await answer.json()).toMatchObject({ data: { credential: { type: "oauth" } } });

      await openid.tokenRevocation(configuration, refreshed.access_token);
      await expect(
        openid.fetchProtectedResource(configuration, refreshed.access_token, me, "GET"),
      ).rejects.toMatchObject({ status: 401 });
      await openid.tokenRevocation(configuration, refreshed.refresh_token ?? "");
      await expect(
        openid.refreshTokenGrant(configuration, refreshed.refresh_token ?? ""),
      ).rejects.toMatchObject({
        error: "invalid_grant",
      });
      await expect(
        openid.authorizationCodeGrant(configuration, callback, { pkceCodeVerifier, expectedState }),
      ).rejects.toMatchObject({ error: "invalid_grant" });
    },
  );
});
