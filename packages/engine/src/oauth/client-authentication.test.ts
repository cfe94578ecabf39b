import { describe, expect, it } from "vitest";
import { basic, challenge, cli, encode, verifier, web, useOAuthApi } from "../../test/oauth/oauth-api.js";

describe("client authentication (RFC 6749, section 2.3)", () => {
  const api = useOAuthApi();

  const form = async (): Promise<Record<string, string>> => {
    const { code } = await api.engine.oauth.consent({ client: web.client, redirectUri: web.redirectUri });
    return { grant_type: "authorization_code", redirect_uri: web.redirectUri, code };
  };
  const cliForm = async (): Promise<Record<string, string>> => ({
    grant_type: "authorization_code",
    redirect_uri: cli.redirectUri,
    code_verifier: verifier,
    code: await api.code(),
  });

  it("accepts client_secret_basic and client_secret_post", async () => {
    expect((await api.token(await form(), basic(web.client, web.secret))).status).toBe(200);
    const posted = { ...(await form()), client_id: web.client, client_secret: web.secret };
    expect((await api.token(posted)).status).toBe(200);
    const both = { ...(await form()), client_id: web.client };
    expect((await api.token(both, basic(web.client, web.secret))).status).toBe(200);
  });

  it("accepts the scheme in any case, and form-encoded ids and secrets (RFC 6749, section 2.3.1)", async () => {
    const secret = "s:e c+r%t ä&=";
    const { id } = await api.engine.oauth.registerClient({
      redirectUris: ["https://app.example/cb"],
      secret,
    });
    const { code } = await api.engine.oauth.consent({ client: id });
    const encoded = new URLSearchParams({ secret }).toString().slice("secret=".length);
    const authorization = `bAsIc ${btoa(`${id}:${encoded}`)}`;
    expect((await api.token({ grant_type: "authorization_code", code }, { authorization })).status).toBe(200);
  });

  const rejections: [string, Record<string, string | undefined>, Record<string, string>][] = [
    ["no client at all", {}, {}],
    ["an unknown client", { client_id: "itgr_nobody" }, {}],
    ["a client named like a property of all objects", { client_id: "__proto__" }, {}],
    ["a confidential client without its secret", { client_id: web.client }, {}],
    ["an empty secret", { client_id: web.client, client_secret: "" }, {}],
    ["a wrong secret", { client_id: web.client, client_secret: `${web.secret}x` }, {}],
    ["a secret's beginning", { client_id: web.client, client_secret: web.secret.slice(0, -1) }, {}],
    ["a wrong secret in the header", {}, basic(web.client, "wrong")],
    ["an empty secret in the header", {}, basic(web.client, "")],
    ["an unknown client in the header", {}, basic("itgr_nobody", web.secret)],
    ["an empty id in the header", {}, basic("", web.secret)],
    ["a bearer token", { client_id: web.client }, { authorization: "Bearer abc" }],
    ["Basic without credentials", { client_id: web.client }, { authorization: "Basic" }],
    [
      "Basic with a sign after its Base64",
      {},
      { authorization: `${basic(web.client, web.secret).authorization}=` },
    ],
    ["Basic that is no Base64", { client_id: web.client }, { authorization: "Basic !!" }],
    ["Basic without a colon", {}, { authorization: `Basic ${btoa(web.client)}` }],
    ["Basic with a broken percent-encoding", {}, { authorization: `Basic ${btoa("a%zz:b")}` }],
    ["Basic that is not UTF-8", {}, { authorization: `Basic ${btoa("\u00ff:a")}` }],
  ];
  it.each(rejections)(
    "refuses %s with 401 invalid_client, without using the code (RFC 6749, section 5.2)",
    async (_name, client, headers) => {
      const asked = await form();
      const { status, error, headers: answered, text } = await api.token({ ...asked, ...client }, headers);
      expect([status, error]).toEqual([401, "invalid_client"]);
      expect(answered["www-authenticate"]).toMatch(/^Basic realm="/);
      expect(answered["cache-control"]).toBe("no-store");
      expect(text).not.toContain(web.secret.slice(0, 20));
      expect((await api.token(asked, basic(web.client, web.secret))).status).toBe(200);
    },
  );

  it("refuses a public client that sends a secret", async () => {
    const asked = await cliForm();
    const posted = await api.token({ ...asked, client_id: cli.client, client_secret: "secret" });
    const inHeader = await api.token(asked, basic(cli.client, "secret"));
    const empty = await api.token(asked, basic(cli.client, ""));
    expect([posted, inHeader, empty].map(({ error }) => error)).toEqual(Array(3).fill("invalid_client"));
    expect((await api.token({ ...asked, client_id: cli.client, client_secret: "" })).status).toBe(200);
  });

  it("refuses two ways at once, and two clients at once, with invalid_request (RFC 6749, section 2.3)", async () => {
    const asked = await form();
    const header = basic(web.client, web.secret);
    const two = await api.token({ ...asked, client_id: web.client, client_secret: web.secret }, header);
    const secretAlone = await api.token({ ...asked, client_secret: web.secret }, header);
    const others = await api.token({ ...asked, client_id: cli.client }, header);
    expect([two, secretAlone, others].map(({ status, error }) => [status, error])).toEqual(
      Array(3).fill([400, "invalid_request"]),
    );
  });

  it("ignores credentials in the query (RFC 6749, section 2.3.1)", async () => {
    const query = encode({ client_id: web.client, client_secret: web.secret });
    const { error } = await api.post(`/token?${query}`, await form());
    expect(error).toBe("invalid_client");
  });
});

describe("token requests (RFC 6749, section 5.2)", () => {
  const api = useOAuthApi();

  const good = async () =>
    ({
      grant_type: "authorization_code",
      client_id: cli.client,
      redirect_uri: cli.redirectUri,
      code_verifier: verifier,
      code: await api.code(),
    }) as const;

  it.each(["grant_type", "code"])("return invalid_request without %s", async (name) => {
    const { status, error } = await api.token({ ...(await good()), [name]: undefined });
    expect([status, error]).toEqual([400, "invalid_request"]);
    const empty = await api.token({ ...(await good()), [name]: "" });
    expect([empty.status, empty.error]).toEqual([400, "invalid_request"]);
  });

  it.each(["grant_type", "client_id", "redirect_uri", "code_verifier", "code"] as const)(
    "return invalid_request for a repeated %s, without using the code",
    async (name) => {
      const form = await good();
      for (const value of [form[name], "", "other"]) {
        const { status, error } = await api.token({ ...form, [name]: [form[name], value] });
        expect([status, error]).toEqual([400, "invalid_request"]);
      }
      expect((await api.token(form)).status).toBe(200);
    },
  );

  it.each(["client_secret", "scope", "refresh_token"])(
    "return invalid_request for a repeated %s",
    async (name) => {
      expect((await api.token({ ...(await good()), [name]: ["a", "b"] })).error).toBe("invalid_request");
    },
  );

  it("accept parameters that the server does not know", async () => {
    expect((await api.token({ ...(await good()), audience: ["a", "b"] })).status).toBe(200);
  });

  it.each([
    "password",
    "client_credentials",
    "implicit",
    "urn:ietf:params:oauth:grant-type:device_code",
    "AUTHORIZATION_CODE",
    "constructor",
  ])("return unsupported_grant_type for the grant type %s", async (grant_type) => {
    const { status, error } = await api.token({ ...(await good()), grant_type });
    expect([status, error]).toEqual([400, "unsupported_grant_type"]);
  });

  it.each<[string, string, string, Record<string, string>?]>([
    ["JSON", "application/json", '{"grant_type":"authorization_code"}'],
    ["multipart", "multipart/form-data; boundary=x", "--x--"],
    ["text", "text/plain", "grant_type=authorization_code"],
    [
      "another encoding",
      "application/x-www-form-urlencoded; charset=utf-16",
      "grant_type=authorization_code",
    ],
    [
      "gzip",
      "application/x-www-form-urlencoded",
      "grant_type=authorization_code",
      { "content-encoding": "gzip" },
    ],
  ])("return invalid_request for %s", async (_name, contentType, body, others = {}) => {
    const { status, error } = await api.send({
      method: "POST",
      path: "/token",
      headers: { "content-type": contentType, ...others },
      body,
    });
    expect([status, error]).toEqual([400, "invalid_request"]);
  });

  it("return invalid_request without a body or a content type", async () => {
    for (const headers of [{}, { "content-type": "application/x-www-form-urlencoded" }]) {
      const { status, error } = await api.send({ method: "POST", path: "/token", headers });
      expect([status, error]).toEqual(
        "content-type" in headers ? [401, "invalid_client"] : [400, "invalid_request"],
      );
    }
  });

  it.each([
    ["a broken percent-encoding", "grant_type=%zz"],
    ["a percent-encoding that is not UTF-8", "grant_type=%ff"],
    ["bytes that are not UTF-8", new Uint8Array([0x61, 0x3d, 0xff])],
  ])("return invalid_request for %s", async (_name, body) => {
    const { status, error } = await api.send({
      method: "POST",
      path: "/token",
      headers: { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" },
      body,
    });
    expect([status, error]).toEqual([400, "invalid_request"]);
  });

  it("return 413 for more than 64 KiB", async () => {
    const { status, error } = await api.token(`code=${"a".repeat(65_536)}`);
    expect([status, error]).toEqual([413, "invalid_request"]);
  });

  it("accept POST only", async () => {
    const query = encode(await good());
    for (const path of ["/token", "/revoke"]) {
      const { status, headers, error } = await api.send({
        method: "GET",
        path: `${path}?${query}`,
        headers: {},
      });
      expect([status, headers["allow"], error]).toEqual([405, "POST", "invalid_request"]);
    }
  });

  it("explain a refusal without repeating what was sent", async () => {
    const secret = "s3cr3t-that-nobody-should-see";
    const rejections = await Promise.all([
      api.token({ ...(await good()), code: secret }),
      api.token({ ...(await good()), code_verifier: secret.repeat(2) }),
      api.token({ ...(await good()), grant_type: secret }),
      api.token({ ...(await good()), client_id: secret }),
      api.token({ ...(await good()), client_id: web.client, client_secret: secret }),
      api.refresh(secret),
      api.revoke({ client_id: cli.client, token: secret, client_secret: secret }),
    ]);
    for (const { status, text, json, headers } of rejections) {
      expect("www-authenticate" in headers).toBe(status === 401);
      expect(text).not.toContain(secret);
      expect(json["error_description"]).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(headers["cache-control"]).toBe("no-store");
    }
    expect(JSON.stringify(api.engine.requests)).not.toContain(secret);
  });
});

describe("client registration by the control surface", () => {
  const api = useOAuthApi();

  it("creates public clients without a secret, and confidential ones with a secret that is shown once", async () => {
    const { oauth } = api.engine;
    const open = await oauth.registerClient({ redirectUris: ["http://localhost/cb"] });
    expect([open.id, open.secret]).toEqual([expect.stringMatching(/^itgr_[a-z0-9]{24}$/), null]);
    const closed = await oauth.registerClient({
      redirectUris: ["https://shop.example/cb"],
      confidential: true,
      name: "Shop",
    });
    expect(closed).toMatchObject({ name: "Shop", secret: expect.stringMatching(/^[A-Za-z0-9]{43}$/) });
  });

  it.each([
    ["/callback", "relative"],
    ["http://app.example/cb", "http off loopback"],
    ["javascript:alert(1)", "a script"],
  ])("refuses %j: %s", async (uri) => {
    const before = await api.engine.snapshot();
    await expect(api.engine.oauth.registerClient({ redirectUris: [uri] })).rejects.toMatchObject({
      name: "ControlError",
      status: 400,
    });
    expect((await api.engine.snapshot()).store).toEqual(before.store);
  });

  it("refuses a second client with the same id, and an empty secret", async () => {
    const { oauth } = api.engine;
    const redirectUris = ["https://shop.example/cb"];
    await expect(oauth.registerClient({ redirectUris, id: cli.client })).rejects.toMatchObject({
      status: 409,
    });
    await expect(oauth.registerClient({ redirectUris, secret: "" })).rejects.toMatchObject({
      status: 400,
    });
  });

  it("includes the clients of the command line and of a sample web app from the start", async () => {
    const { clients } = await api.store();
    expect(clients.get(cli.client)).toMatchObject({ name: "mgmt CLI", secretHash: null });
    expect(clients.get(web.client)?.secretHash).toMatch(/^[\w-]{43}$/);
    expect((await api.redeem(await api.code({ codeChallenge: challenge }))).status).toBe(200);
  });
});
