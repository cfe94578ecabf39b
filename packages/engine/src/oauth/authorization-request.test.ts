import { describe, expect, it, vi } from "vitest";
import {
  OAuthApi,
  challenge,
  cli,
  encode,
  goodRequest,
  web,
  useOAuthApi,
} from "../../test/oauth/oauth-api.js";
import { openInMemory } from "../../test/server/engine-under-test.js";

describe("authorization requests (RFC 6749, section 4.1.1)", () => {
  const api = useOAuthApi();

  it("asks the user to sign in, and echoes nothing that was not escaped", async () => {
    const { status, headers, text } = await api.authorize({
      ...goodRequest,
      state: '"><script>alert(1)</script>',
    });
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain("Ada Lovelace");
    expect(text).toContain("mgmt CLI");
    expect(text).not.toContain("<script");
  });

  describe("with an unknown client or redirect URI, which end on an error page (RFC 6749, section 4.1.2.1)", () => {
    const { client_id: _client, ...noClient } = goodRequest;
    const { redirect_uri: _redirect, ...noRedirect } = goodRequest;
    const shown: [string, string][] = [
      ["no parameters at all", ""],
      ["no client_id", encode(noClient)],
      ["an empty client_id", encode({ ...goodRequest, client_id: "" })],
      ["an unknown client", encode({ ...goodRequest, client_id: "itgr_nobody" })],
      ["a client named like a property of all objects", encode({ ...goodRequest, client_id: "__proto__" })],
      ["a repeated client_id", encode({ ...goodRequest, client_id: [cli.client, cli.client] })],
      [
        "a repeated redirect_uri",
        encode({ ...goodRequest, redirect_uri: [cli.redirectUri, cli.redirectUri] }),
      ],
      ["a second, empty redirect_uri", `${encode(goodRequest)}&redirect_uri=`],
      ["no redirect_uri where the client has several", encode({ ...noRedirect, client_id: web.client })],
      ["broken percent-encoding", `${encode(goodRequest)}&scope=%zz`],
      ["percent-encoding that is not UTF-8", `${encode(goodRequest)}&scope=%ff`],
    ];

    it.each(shown)("refuses %s", async (_name, query) => {
      const { status, headers, redirectedTo, text } = await api.authorize(query);
      expect([status, redirectedTo]).toEqual([400, undefined]);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(text).toContain("invalid_request");
    });

    it.each([
      ["https://app.example/shop", "https://app.example/shop"],
      ["https://app.example/<b>", "https://app.example/&lt;b&gt;"],
      ["https://app.example/\u202eexe", "https://app.example/\\u202eexe"],
      [`https://app.example/${"x".repeat(5_000)}`, `https://app.example/${"x".repeat(180)}`],
    ])("names the redirect URI that is not registered: %j", async (uri, shown) => {
      const { status, redirectedTo, text } = await api.authorize({ ...goodRequest, redirect_uri: uri });
      expect([status, redirectedTo]).toEqual([400, undefined]);
      expect(text).toContain(`The redirect_uri ${shown} is not registered for the client`);
    });

    it("refuses another port of a confidential client, on loopback too", async () => {
      const uri = "http://localhost:3001/callback";
      const query = { ...goodRequest, client_id: web.client, redirect_uri: uri };
      const { status, redirectedTo } = await api.authorize(query);
      expect([status, redirectedTo]).toEqual([400, undefined]);
    });

    it("refuses a client without a redirect URI", async () => {
      const { client } = await api.engine.seed.integration();
      const { status } = await api.authorize({ ...goodRequest, client_id: client.id });
      expect(status).toBe(400);
      const { status: without } = await api.authorize({ ...noRedirect, client_id: client.id });
      expect(without).toBe(400);
    });
  });

  describe("with any other error, which redirect to the client with error, state and iss", () => {
    const { response_type: _type, ...noType } = goodRequest;
    const { code_challenge: _challenge, ...noChallenge } = goodRequest;
    const { code_challenge_method: _method, ...noMethod } = goodRequest;
    const { code_challenge: _c, code_challenge_method: _m, ...noPkce } = goodRequest;
    const faults: [string, Record<string, string | string[]>, string][] = [
      ["no response_type", noType, "invalid_request"],
      ["an empty response_type", { ...goodRequest, response_type: "" }, "invalid_request"],
      ["a repeated response_type", { ...goodRequest, response_type: ["code", "code"] }, "invalid_request"],
      ["the implicit grant", { ...goodRequest, response_type: "token" }, "unsupported_response_type"],
      [
        "a hybrid response_type",
        { ...goodRequest, response_type: "code token" },
        "unsupported_response_type",
      ],
      ["another response_mode", { ...goodRequest, response_mode: "fragment" }, "invalid_request"],
      ["no PKCE from a public client (RFC 7636, section 4.4.1)", noPkce, "invalid_request"],
      ["a method without a challenge", noChallenge, "invalid_request"],
      ["an empty challenge", { ...goodRequest, code_challenge: "" }, "invalid_request"],
      [
        "a challenge without a method, which means plain (RFC 7636, section 4.3)",
        noMethod,
        "invalid_request",
      ],
      ["plain", { ...goodRequest, code_challenge_method: "plain" }, "invalid_request"],
      ["another method", { ...goodRequest, code_challenge_method: "S512" }, "invalid_request"],
      ["the method in lower case", { ...goodRequest, code_challenge_method: "s256" }, "invalid_request"],
      ["a repeated challenge", { ...goodRequest, code_challenge: [challenge, challenge] }, "invalid_request"],
      ["a repeated method", { ...goodRequest, code_challenge_method: ["S256", "plain"] }, "invalid_request"],
      [
        "a challenge that is too short",
        { ...goodRequest, code_challenge: challenge.slice(1) },
        "invalid_request",
      ],
      [
        "a challenge that is too long",
        { ...goodRequest, code_challenge: `${challenge}a` },
        "invalid_request",
      ],
      ["a padded challenge", { ...goodRequest, code_challenge: `${challenge}=` }, "invalid_request"],
      [
        "a challenge in plain Base64",
        { ...goodRequest, code_challenge: `${challenge.slice(0, 42)}+` },
        "invalid_request",
      ],
      ["an unknown scope", { ...goodRequest, scope: "workspace:admin openid" }, "invalid_scope"],
      ["a scope in other case", { ...goodRequest, scope: "Workspace:Admin" }, "invalid_scope"],
      [
        "scopes with two spaces between",
        { ...goodRequest, scope: "workspace:admin  offline_access" },
        "invalid_scope",
      ],
      [
        "a repeated scope parameter",
        { ...goodRequest, scope: ["workspace:admin", "offline_access"] },
        "invalid_request",
      ],
    ];

    it.each(faults)("returns an error for %s", async (_name, parameters, error) => {
      const answered = await api.authorize(parameters);
      expect([answered.status, answered.redirectedTo]).toEqual([303, cli.redirectUri]);
      expect(answered.error).toBe(error);
      expect([answered.location.get("state"), answered.location.get("iss")]).toEqual([
        goodRequest.state,
        api.issuer,
      ]);
      expect(answered.location.get("error_description")).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(answered.location.get("code")).toBeNull();
    });

    it("returns an error for a repeated state, and echoes neither value", async () => {
      const answered = await api.authorize({ ...goodRequest, state: ["one", "two"] });
      expect([answered.error, answered.location.get("state")]).toEqual(["invalid_request", null]);
    });

    it("preserves the query of the redirect URI", async () => {
      const uri = "https://app.example/cb?tenant=7&x=%20";
      const { id } = await api.engine.oauth.registerClient({ redirectUris: [uri] });
      const answered = await api.authorize({
        ...goodRequest,
        client_id: id,
        redirect_uri: uri,
        response_type: "token",
      });
      expect(answered.headers["location"]?.startsWith(`${uri}&error=`)).toBe(true);
    });

    it("returns the state unchanged, whatever it contains", async () => {
      const state = "ä&error=none #?%00\u{1f600} +";
      const answered = await api.authorize({ ...goodRequest, state, response_type: "token" });
      expect(answered.location.get("state")).toBe(state);
      expect(answered.location.getAll("error")).toEqual(["unsupported_response_type"]);
    });
  });

  it("redirect with server_error when the server fails, and the operator is notified (RFC 6749, section 4.1.2.1)", async () => {
    const failure = new Error("canary");
    const broken = await OAuthApi.open({}, openInMemory);
    vi.spyOn((await broken.store()).users, "list").mockImplementation(() => {
      throw failure;
    });
    const answered = await broken.authorize(goodRequest);
    expect([answered.status, answered.redirectedTo, answered.error]).toEqual([
      303,
      cli.redirectUri,
      "server_error",
    ]);
    expect([answered.location.get("state"), answered.location.get("iss")]).toEqual([
      goodRequest.state,
      api.issuer,
    ]);
    expect(JSON.stringify(answered)).not.toContain("canary");
    expect(broken.defects).toEqual([failure]);
  });

  it("treat an empty state as absent (RFC 6749, section 3.1)", async () => {
    const answered = await api.authorize({ ...goodRequest, state: "", response_type: "token" });
    expect(answered.location.has("state")).toBe(false);
  });

  it("accept a missing redirect_uri when the client has exactly one", async () => {
    const { id } = await api.engine.oauth.registerClient({ redirectUris: ["https://app.example/cb"] });
    const { redirect_uri: _uri, ...request } = goodRequest;
    expect((await api.authorize({ ...request, client_id: id })).status).toBe(200);
    const { redirectedTo } = await api.authorize({ ...request, client_id: id, response_type: "token" });
    expect(redirectedTo).toBe("https://app.example/cb");
  });

  it("require no PKCE of a confidential client", async () => {
    const { code_challenge: _c, code_challenge_method: _m, ...request } = goodRequest;
    const asked = { ...request, client_id: web.client, redirect_uri: web.redirectUri };
    expect((await api.authorize(asked)).status).toBe(200);
    expect((await api.authorize({ ...asked, code_challenge: challenge })).error).toBe("invalid_request");
  });

  it("accept parameters that the server does not know (RFC 6749, section 3.1)", async () => {
    const { status } = await api.authorize({ ...goodRequest, prompt: "login", constructor: ["a", "b"] });
    expect(status).toBe(200);
  });

  it("accept no method other than GET and POST", async () => {
    for (const method of ["PUT", "DELETE", "OPTIONS", "HEAD"]) {
      const { status, headers } = await api.send({
        method,
        path: `/authorize?${encode(goodRequest)}`,
        headers: {},
      });
      expect([status, headers["allow"]]).toEqual([405, "GET, POST"]);
    }
  });

  it("change no state", async () => {
    const before = await api.engine.snapshot();
    await api.authorize(goodRequest);
    await api.authorize({ ...goodRequest, response_type: "token" });
    await api.authorize("");
    expect(await api.engine.snapshot()).toEqual(before);
  });
});
