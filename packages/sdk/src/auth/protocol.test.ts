import { describe, expect, it } from "vitest";
import { createAuthenticator, finishLogin, logout, memoryStore, startLogin } from "@mgmt/sdk/auth";
import { json, thrown } from "../../test/server.js";
import { type Expected, expectFailure, html, limit, replies, repliesJson } from "../../test/auth/failures.js";
import {
  type Reply,
  credentialFor,
  metadataOf,
  startFaultServer,
  tokens,
} from "../../test/auth/fault-server.js";

describe("metadata (RFC 8414)", () => {
  const start = (authUrl: string, more: object = {}) =>
    startLogin({
      authUrl,
      clientId: "app",
      redirectUri: "http://127.0.0.1/callback",
      timeoutMs: 150,
      ...more,
    });

  it.each<[string, Reply, Expected]>([
    ["is HTML", html, { message: "returned 200 (text/html)", status: 200 }],
    ["is missing", replies(404), { message: "returned 404 (no body)", status: 404 }],
    ["fails", replies(500), { message: "returned 500", status: 500 }],
    [
      "never comes",
      () => undefined,
      { code: "auth:timeout", message: "got no complete response within 150 ms" },
    ],
    ["names no issuer", repliesJson(200, {}), { message: '"issuer" property must be a string' }],
    [
      "names another issuer (RFC 8414, section 3.3)",
      repliesJson(200, metadataOf("https://evil.example.com")),
      { code: "auth:issuer_mismatch", message: "names another issuer" },
    ],
  ])("is refused if it %s", async (_name, metadata, expected) => {
    const { baseUrl } = await startFaultServer({ metadata });
    expectFailure(await thrown(start(baseUrl, limit(expected))), {
      code: "auth:discovery_failed",
      ...expected,
    });
  });

  it.each([undefined, "", "nonsense", 5, "ftp://x.test/authorize", "http://auth.example.com/authorize"])(
    "is refused on https when its authorization endpoint is %j",
    async (authorization_endpoint) => {
      const issuer = "https://auth.example.com";
      const fetch = async (): Promise<Response> =>
        Response.json({ ...metadataOf(issuer), authorization_endpoint });
      const error = await thrown(start(issuer, { fetch }));
      expectFailure(error, {
        code: "auth:discovery_failed",
        message: "has no usable authorization_endpoint",
      });
    },
  );

  it("cannot make a client on https send a secret unencrypted", async () => {
    const issuer = "https://auth.example.com";
    const asked: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      asked.push(url);
      return Response.json({ ...metadataOf(issuer), token_endpoint: "http://auth.example.com/token" });
    };
    const store = memoryStore(credentialFor({ baseUrl: issuer }, -1));
    const { token } = createAuthenticator({ authUrl: issuer, clientId: "app", store, fetch });
    expect(await thrown(token())).toMatchObject({ code: "auth:discovery_failed" });
    expect(asked).toEqual([`${issuer}/.well-known/oauth-authorization-server`]);
  });

  it.each(["token_endpoint", "revocation_endpoint"])(
    "cannot send codes and tokens to another origin as the %s, unless endpoints are set",
    async (name) => {
      const other = await startFaultServer();
      const server = await startFaultServer({
        metadata: (response) =>
          json(response, 200, { ...metadataOf(server.baseUrl), [name]: `${other.baseUrl}/token` }),
      });
      const oauth = { authUrl: server.baseUrl, clientId: "app" };
      const store = memoryStore(credentialFor(server, -1));
      const error = await thrown(createAuthenticator({ ...oauth, store }).token());
      expect(error).toMatchObject({
        code: "auth:discovery_failed",
        message: `The metadata of ${server.baseUrl} names a ${name} on another origin`,
        hint: expect.stringContaining("endpoints"),
      });
      expect(await thrown(logout({ ...oauth, store }))).toMatchObject({ code: "auth:revoke_failed" });
      expect(other.seen).toEqual([]);

      const endpoints = {
        authorization: `${server.baseUrl}/authorize`,
        token: `${other.baseUrl}/token`,
        revocation: `${other.baseUrl}/revoke`,
      };
      const chosen = memoryStore(credentialFor(server, -1));
      expect(await createAuthenticator({ ...oauth, store: chosen, endpoints }).token()).toBe("access-1");
      await logout({ ...oauth, store: chosen, endpoints });
      expect(other.seen.map(({ url }) => url)).toEqual(["/token", "/revoke"]);
    },
  );

  it("precedes the path of an issuer with a path (RFC 8414, section 3.1)", async () => {
    const issuer = "https://example.com/tenant/blue";
    const asked: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      asked.push(url);
      return Response.json(metadataOf(issuer));
    };
    const { url } = await start(issuer, { fetch });
    expect(asked).toEqual(["https://example.com/.well-known/oauth-authorization-server/tenant/blue"]);
    expect(url).toMatch(/^https:\/\/example\.com\/tenant\/blue\/authorize\?/);
  });

  it.each(["", "/", "/application/o/shop", "/application/o/shop/"])(
    "names an issuer that is compared as it is: %j",
    async (path) => {
      const issuer = `https://example.com${path}`;
      const endpoints = {
        authorization: "https://example.com/authorize",
        token: "https://example.com/token",
      };
      const fetch = (url: string): Promise<Response> =>
        Promise.resolve(
          Response.json(
            url.endsWith("/token") ? tokens(1) : { ...metadataOf(issuer), token_endpoint: endpoints.token },
          ),
        );
      for (const more of [{}, { endpoints }]) {
        const { attempt } = await start(issuer, { fetch, ...more });
        const parameters = new URLSearchParams({ code: "c", state: attempt.state, iss: issuer });
        const oauth = { authUrl: issuer, clientId: "app", fetch, attempt, ...more };
        const credential = await finishLogin({ ...oauth, callback: `/callback?${String(parameters)}` });
        expect(credential.issuer).toBe(issuer);
        expect(await finishLogin({ ...oauth, callback: { code: "c" } })).toMatchObject({ issuer });
        const other = path.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
        parameters.set("iss", other);
        const refused = finishLogin({ ...oauth, callback: `/callback?${String(parameters)}` });
        expect(await thrown(refused)).toMatchObject({ code: "auth:issuer_mismatch" });
      }
    },
  );

  it.each(["/tenant", "/tenant/"])("names the issuer with another end than authUrl %j", async (path) => {
    const issuer = `https://example.com${path}`;
    const fetch = () => Promise.resolve(Response.json(metadataOf(issuer)));
    const authUrl = path.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
    expect(await thrown(start(authUrl, { fetch }))).toMatchObject({
      code: "auth:issuer_mismatch",
      message: `The server at ${authUrl} names another issuer`,
      hint: expect.stringContaining("with or without a slash at its end"),
    });
  });

  it("is requested again after a failure", async () => {
    let count = 0;
    const server = await startFaultServer({
      metadata: (response) =>
        (count += 1) === 1 ? response.writeHead(503).end() : json(response, 200, metadataOf(server.baseUrl)),
    });
    const store = memoryStore(credentialFor(server, -1));
    const { token } = createAuthenticator({ authUrl: server.baseUrl, clientId: "app", store });
    expect(await thrown(token())).toMatchObject({ code: "auth:discovery_failed", status: 503 });
    expect(await token()).toBe("access-1");
    await store.write(credentialFor(server, -1, { accessToken: "spent" }));
    expect(await token({ rejected: "access-1" })).toBe("access-2");
    expect(count).toBe(2);
  });

  it("is not requested when the endpoints are given", async () => {
    const server = await startFaultServer({ metadata: html });
    const { baseUrl } = server;
    const endpoints = { authorization: `${baseUrl}/authorize`, token: `${baseUrl}/token` };
    const oauth = { authUrl: baseUrl, clientId: "app", endpoints };
    const { attempt } = await startLogin({ ...oauth, redirectUri: "http://127.0.0.1/callback" });
    const store = memoryStore();
    await finishLogin({ ...oauth, attempt, callback: { code: "code-1" }, store });
    expect(Object.fromEntries(server.tokenRequests[0] ?? [])).toEqual({
      grant_type: "authorization_code",
      client_id: "app",
      code: "code-1",
      redirect_uri: "http://127.0.0.1/callback",
      code_verifier: attempt.codeVerifier,
    });
    await logout({ ...oauth, store });
    expect(server.seen.map(({ url }) => url)).toEqual(["/token"]);
  });
});
