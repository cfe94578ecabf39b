import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Form, basic, challenge, encode, verifier } from "./oauth-api.js";
import {
  type ServerUnderTest,
  closedClient,
  openClient,
  startOurs,
  startPeer,
} from "./peer/authorization-servers.js";
import {
  type Seen,
  authorize,
  closedBasic,
  closedRequest,
  codeFor,
  goodRequest,
  jsonOf,
  pair,
  redeem,
  refresh,
  seenOf,
  sendForm,
  withoutPkce,
} from "./peer/requests.js";

// When it is imported, the peer warns that it stores nothing and recommends a newer Node.js. It works with
// this one.
vi.hoisted(() => vi.spyOn(console, "warn").mockReturnValue(undefined));

describe("oidc-provider, compared where the RFCs leave no choice", () => {
  let servers: [ours: ServerUnderTest, peer: ServerUnderTest];
  beforeAll(async () => {
    servers = [await startOurs(), await startPeer()];
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  /** Sends the request to both servers, expects equal responses, and returns one. */
  const alike = async (ask: (server: ServerUnderTest) => Promise<unknown>): Promise<unknown> => {
    const [ours, peers] = [await ask(servers[0]), await ask(servers[1])];
    expect(ours).toEqual(peers);
    return ours;
  };

  const back = (error: string) => ({
    to: "http://127.0.0.1:51234/callback",
    error,
    state: goodRequest.state,
    ownIssuer: true,
  });
  const requests: [string, Form, Seen][] = [
    ["a good request", goodRequest, { asks: true }],
    [
      "another port on loopback",
      { ...goodRequest, redirect_uri: "http://127.0.0.1:4/callback" },
      { asks: true },
    ],
    ["a confidential client without PKCE", closedRequest, { asks: true }],
    ["no client_id", { ...goodRequest, client_id: undefined }, { shown: 400 }],
    ["an unknown client", { ...goodRequest, client_id: "itgr_nobody" }, { shown: 400 }],
    ["a repeated client_id", { ...goodRequest, client_id: [openClient.id, openClient.id] }, { shown: 400 }],
    ["another redirect URI", { ...goodRequest, redirect_uri: "https://evil.example/" }, { shown: 400 }],
    ["another path", { ...goodRequest, redirect_uri: "http://127.0.0.1:51234/other" }, { shown: 400 }],
    [
      "another loopback host",
      { ...goodRequest, redirect_uri: "http://localhost:51234/callback" },
      { shown: 400 },
    ],
    ["a fragment", { ...goodRequest, redirect_uri: `${openClient.redirectUri}#f` }, { shown: 400 }],
    [
      "another port of a confidential client",
      { ...closedRequest, redirect_uri: "https://app.example:444/cb" },
      { shown: 400 },
    ],
    ["no response_type", { ...goodRequest, response_type: undefined }, back("invalid_request")],
    [
      "an unknown response_type",
      { ...goodRequest, response_type: "word" },
      back("unsupported_response_type"),
    ],
    ["no PKCE from a public client", withoutPkce, back("invalid_request")],
    ["plain", { ...goodRequest, code_challenge_method: "plain" }, back("invalid_request")],
    ["a method left out", { ...goodRequest, code_challenge_method: undefined }, back("invalid_request")],
    ["a method alone", { ...goodRequest, code_challenge: undefined }, back("invalid_request")],
    ["a short challenge", { ...goodRequest, code_challenge: "short" }, back("invalid_request")],
    [
      "a repeated challenge",
      { ...goodRequest, code_challenge: [challenge, challenge] },
      back("invalid_request"),
    ],
    [
      "a repeated scope",
      { ...goodRequest, scope: ["workspace:admin", "offline_access"] },
      back("invalid_request"),
    ],
    ["a repeated state", { ...goodRequest, state: ["a", "b"] }, { ...back("invalid_request"), state: null }],
  ];
  it.each(requests)("agrees on the authorization request: %s", async (_name, request, expected) => {
    expect(await alike((server) => authorize(server, encode(request)))).toEqual(expected);
  });

  it.each(["allow", "deny"] as const)("agrees on the user's decision: %s", async (decision) => {
    const seen = await alike(async (server) => {
      const { origin, pathname, searchParams } = await server.decide(encode(goodRequest), decision);
      const { code, error_description: _description, iss, ...rest } = Object.fromEntries(searchParams);
      return {
        to: origin + pathname,
        ...rest,
        hasCode: code !== undefined,
        ownIssuer: iss === server.issuer,
      };
    });
    expect(seen).toMatchObject({ state: goodRequest.state, ownIssuer: true, hasCode: decision === "allow" });
  });

  const success = {
    status: 200,
    error: undefined,
    noStore: true,
    tokenType: "Bearer",
    hasAccessToken: true,
    hasRefreshToken: true,
    hasLife: true,
    challenges: undefined,
  };
  const refusal = (status: number, error: string, changes: Seen = {}): Seen => ({
    status,
    error,
    noStore: true,
    tokenType: undefined,
    hasAccessToken: false,
    hasRefreshToken: false,
    hasLife: false,
    challenges: undefined,
    ...changes,
  });

  const redemptions: [string, Form, Seen][] = [
    ["a good one", {}, success],
    ["no verifier", { code_verifier: undefined }, refusal(400, "invalid_grant")],
    ["a wrong verifier", { code_verifier: "a".repeat(43) }, refusal(400, "invalid_grant")],
    ["another redirect URI", { redirect_uri: "http://127.0.0.1:1/callback" }, refusal(400, "invalid_grant")],
    ["an unknown code", { code: "a".repeat(43) }, refusal(400, "invalid_grant")],
    ["no code", { code: undefined }, refusal(400, "invalid_request")],
    ["a repeated code", { code: ["a", "b"] }, refusal(400, "invalid_request")],
    ["a repeated verifier", { code_verifier: [verifier, verifier] }, refusal(400, "invalid_request")],
    ["no grant_type", { grant_type: undefined }, refusal(400, "invalid_request")],
    ["an unknown grant_type", { grant_type: "magic" }, refusal(400, "unsupported_grant_type")],
  ];
  it.each(redemptions)("agrees on the code: %s", async (_name, changes, expected) => {
    expect(await alike(async (server) => seenOf(await redeem(server, changes)))).toEqual(expected);
  });

  it("agrees on another client's code", async () => {
    const seen = await alike(async (server) => {
      const code = await codeFor(server, goodRequest);
      const form = {
        grant_type: "authorization_code",
        code,
        redirect_uri: openClient.redirectUri,
        code_verifier: verifier,
      };
      return seenOf(await sendForm(server, "/token", form, closedBasic));
    });
    expect(seen).toEqual(refusal(400, "invalid_grant"));
  });

  it("agrees on a second use of a code, which revokes what the first returned", async () => {
    const seen = await alike(async (server) => {
      const code = await codeFor(server, goodRequest);
      const given = await jsonOf(await redeem(server, { code }));
      const again = await seenOf(await redeem(server, { code }));
      const refreshed = await seenOf(await refresh(server, String(given["refresh_token"])));
      return [again, refreshed];
    });
    expect(seen).toEqual([refusal(400, "invalid_grant"), refusal(400, "invalid_grant")]);
  });

  it("agrees on a code that started without PKCE and ends with it", async () => {
    const seen = await alike(async (server) => {
      const code = await codeFor(server, closedRequest);
      const form = { grant_type: "authorization_code", code, redirect_uri: closedClient.redirectUri };
      const tampered = await sendForm(server, "/token", { ...form, code_verifier: verifier }, closedBasic);
      return [await seenOf(tampered), await seenOf(await sendForm(server, "/token", form, closedBasic))];
    });
    expect(seen).toEqual([refusal(400, "invalid_grant"), success]);
  });

  const authentications: [string, Form, Record<string, string>, Seen][] = [
    ["an unknown client", { client_id: "itgr_nobody" }, {}, refusal(401, "invalid_client")],
    [
      "a wrong secret in the header",
      {},
      basic(closedClient.id, "wrong"),
      refusal(401, "invalid_client", { challenges: "Basic" }),
    ],
    [
      "a wrong secret in the body",
      { client_id: closedClient.id, client_secret: "wrong" },
      {},
      refusal(401, "invalid_client"),
    ],
    ["a confidential client's id alone", { client_id: closedClient.id }, {}, refusal(401, "invalid_client")],
    [
      "two ways at once",
      { client_secret: closedClient.secret },
      closedBasic,
      refusal(400, "invalid_request"),
    ],
    ["two clients at once", { client_id: openClient.id }, closedBasic, refusal(400, "invalid_request")],
  ];
  it.each(authentications)("agrees on the client: %s", async (_name, form, headers, expected) => {
    const seen = await alike(async (server) => {
      const all = { grant_type: "refresh_token", refresh_token: "x", ...form };
      const { challenges, ...rest } = await seenOf(await sendForm(server, "/token", all, headers));
      // A challenge is required for clients that sent the header, and optional for others.
      return { ...rest, challenges: "authorization" in headers ? challenges : undefined };
    });
    expect(seen).toEqual(expected);
  });

  it("agrees on rotation: a new pair for each refresh, and a replay that ends the family", async () => {
    const seen = await alike(async (server) => {
      const first = await pair(server);
      const answer = await refresh(server, first);
      const rotated = String((await jsonOf(answer.clone()))["refresh_token"]);
      await server.passGrace();
      const replay = await seenOf(await refresh(server, first));
      return [await seenOf(answer), rotated !== first, replay, await seenOf(await refresh(server, rotated))];
    });
    expect(seen).toEqual([success, true, refusal(400, "invalid_grant"), refusal(400, "invalid_grant")]);
  });

  it("agrees on refresh tokens that are unknown, missing, repeated, another client's, and beyond their scope", async () => {
    const seen = await alike(async (server) => {
      const token = await pair(server);
      const answers = [
        await refresh(server, "unknown"),
        await refresh(server, ""),
        await refresh(server, token, { refresh_token: [token, token] }),
        await refresh(server, token, { client_id: undefined }, closedBasic),
        await refresh(server, token, { scope: "workspace:admin everything" }),
        await refresh(server, token),
      ];
      return Promise.all(answers.map(seenOf));
    });
    expect(seen).toEqual([
      refusal(400, "invalid_grant"),
      refusal(400, "invalid_request"),
      refusal(400, "invalid_request"),
      refusal(400, "invalid_grant"),
      refusal(400, "invalid_scope"),
      success,
    ]);
  });

  it("agrees on the revocation of a refresh token, of nothing, and without a token", async () => {
    const seen = await alike(async (server) => {
      const token = await pair(server);
      const revoke = (form: Form) => sendForm(server, "/revoke", { client_id: openClient.id, ...form });
      const answers = [
        await revoke({ token, token_type_hint: "access_token" }),
        await revoke({ token }),
        await revoke({ token: "unknown" }),
        await revoke({}),
        await revoke({ token: ["a", "b"] }),
        await revoke({ token, client_id: "itgr_nobody" }),
        await refresh(server, token),
      ];
      return Promise.all(answers.map(async (each) => [each.status, (await seenOf(each))["error"]]));
    });
    expect(seen).toEqual([
      [200, undefined],
      [200, undefined],
      [200, undefined],
      [400, "invalid_request"],
      [400, "invalid_request"],
      [401, "invalid_client"],
      [400, "invalid_grant"],
    ]);
  });

  it("agrees on a body that is not a form", async () => {
    const seen = await alike(async (server) => {
      const headers = { "content-type": "application/json" };
      const response = await server.send("/token", { method: "POST", headers, body: "{}" });
      return [response.status, (await seenOf(response))["error"]];
    });
    expect(seen).toEqual([400, "invalid_request"]);
  });
});
