import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createAuthenticator, finishLogin, memoryStore, startLogin } from "@mgmt/sdk/auth";
import { nodeTransport } from "@mgmt/sdk/node";
import { json, thrown } from "../../test/server.js";
import { type Expected, expectFailure, html, limit, replies, repliesJson } from "../../test/auth/failures.js";
import { type Reply, credentialFor, startFaultServer, tokens } from "../../test/auth/fault-server.js";

const token = (fields: object): Reply => repliesJson(200, tokens(1, fields));
const timeout = { code: "auth:timeout", message: "got no complete response within 150 ms" };

/** Faulty responses of the token endpoint, and the expected errors. */
const badAnswers: [string, Reply, Expected][] = [
  ["HTML", html, { message: "returned 200 (text/html), which is not a valid OAuth response", status: 200 }],
  ["500", replies(500, "text/html", "<h1>canary</h1>"), { message: "returned 500 (text/html)", status: 500 }],
  [
    "500 with an error of OAuth",
    repliesJson(500, { error: "server_error", error_description: "Try later" }),
    { message: "was refused with server_error: Try later", status: 500, oauthError: "server_error" },
  ],
  ["502 and nothing else", replies(502), { message: "returned 502 (no body)" }],
  ["204", replies(204), { message: "returned 204 (no body)" }],
  [
    "broken JSON",
    replies(200, "application/json", '{"access_token":"canary'),
    { message: "failed to parse" },
  ],
  ["a list", repliesJson(200, ["canary"]), { message: "must be a top level object" }],
  [
    "no access token",
    token({ access_token: undefined, refresh_token: "canary" }),
    { message: '"access_token" property must be a string' },
  ],
  ["an empty access token", token({ access_token: "" }), { message: '"access_token"' }],
  ["no token type", token({ token_type: undefined }), { message: '"token_type"' }],
  ["another token type", token({ token_type: "mac" }), { message: "unsupported `token_type`" }],
  ["a DPoP token", token({ token_type: "DPoP" }), { message: "its token type is not bearer" }],
  ["a lifetime that is not a number", token({ expires_in: "canary" }), { message: '"expires_in"' }],
  ["a negative lifetime", token({ expires_in: -5 }), { message: '"expires_in"' }],
  ["a refresh token that is not a string", token({ refresh_token: 5 }), { message: '"refresh_token"' }],
  [
    "a redirect",
    (response) => response.writeHead(302, { location: "https://evil.example.com/token" }).end(),
    { message: "returned 302 (no body)" },
  ],
  [
    "invalid_client",
    (response) => json(response, 401, { error: "invalid_client" }, { "www-authenticate": 'Basic realm="x"' }),
    { message: /was refused with invalid_client$/, status: 401, oauthError: "invalid_client" },
  ],
  [
    "secrets, quoted",
    (response, { body }) => {
      const form = new URLSearchParams(body);
      const secret = form.get("refresh_token") ?? form.get("code") ?? "";
      json(response, 400, { error: "invalid_request", error_description: `What is ${secret}?` });
    },
    { message: "was refused with invalid_request: What is …?" },
  ],
  [
    "an error that is not an error of OAuth",
    repliesJson(400, { error: { canary: 1 } }),
    { message: "returned 400 (application/json)" },
  ],
  ["a cut connection", (response) => response.destroy(), { message: "got no complete response (" }],
  [
    "half an answer",
    (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", () => response.destroy());
    },
    { message: "got no complete response (" },
  ],
  ["nothing, ever", () => undefined, timeout],
  [
    "half an answer, and then nothing",
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"access_token":"canary');
    },
    timeout,
  ],
];

const transports = [
  ["fetch", () => undefined],
  ["nodeTransport", () => nodeTransport()],
] as const;

describe.each(transports)("a token endpoint over %s", (_, transport) => {
  it.each(badAnswers)("reports a response to a refresh with %s", async (_name, reply, expected) => {
    const server = await startFaultServer({ token: reply });
    const store = memoryStore(credentialFor(server, -1));
    const oauth = { authUrl: server.baseUrl, clientId: "app", transport: transport(), ...limit(expected) };
    const refreshing = createAuthenticator({ ...oauth, store }).token();
    const error = await thrown(refreshing);
    if (expected.code === "auth:timeout")
      expectFailure(error, { ...expected, message: "Got no token within 150 ms" });
    else expectFailure(error, { code: "auth:refresh_failed", ...expected });
    expect(await store.read()).toMatchObject({ refreshToken: "refresh-0" });
  });

  it.each(badAnswers)("reports a response to a code with %s", async (_name, reply, expected) => {
    const server = await startFaultServer({ token: reply });
    const oauth = { authUrl: server.baseUrl, clientId: "app", transport: transport(), ...limit(expected) };
    const store = memoryStore();
    const redirectUri = "http://127.0.0.1/callback";
    const { attempt } = await startLogin({ ...oauth, redirectUri, timeoutMs: undefined });
    const callback = { code: "code-1" };
    const error = await thrown(finishLogin({ ...oauth, attempt, callback, store }));
    expectFailure(error, { code: "auth:login_failed", ...expected });
    expect(await store.read()).toBeUndefined();
  });
});

describe("an authorization server that cannot be reached", () => {
  it("appears in the error with the reason", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    // A listening TCP server has an address of this form.
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const authUrl = `http://127.0.0.1:${port}`;
    const options = { authUrl, clientId: "app", redirectUri: "http://127.0.0.1/callback" };
    expectFailure(await thrown(startLogin(options)), {
      code: "auth:discovery_failed",
      message: `${authUrl}/.well-known/oauth-authorization-server got no complete response (ECONNREFUSED)`,
    });
  });

  it("causes an AuthError whatever the caller's fetch throws, without passing that on", async () => {
    const server = await startFaultServer();
    const endpoints = { authorization: "https://x.test/a", token: "https://x.test/t" };
    const store = memoryStore(credentialFor(server, -1));
    const fetch = (_: string, init: RequestInit): Promise<Response> => {
      throw Object.assign(new Error(`failed with ${String(init.body)}`), { config: init });
    };
    const { token } = createAuthenticator({
      authUrl: server.baseUrl,
      clientId: "app",
      endpoints,
      store,
      fetch,
    });
    const error = await thrown(token());
    expectFailure(error, {
      code: "auth:refresh_failed",
      message: "POST https://x.test/t got no complete response (failed with refresh_token=…&grant_type=",
    });
    expect(error).not.toHaveProperty("cause");
  });
});
