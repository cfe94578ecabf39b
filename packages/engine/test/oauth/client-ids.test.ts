import { describe, expect, it } from "vitest";
import { OAuthApi, basic, challenge, cli, goodRequest, verifier, web, useOAuthApi } from "./oauth-api.js";

const bare = (id: string): string => id.replace(/^itgr_/, "");

describe("client ids without their prefix", () => {
  const api = useOAuthApi();

  it.each([
    ["with", cli.client],
    ["without", bare(cli.client)],
  ])("redirect a valid authorization request %s prefix to the sign-in page", async (_, id) => {
    const { status, error } = await api.authorize({ ...goodRequest, client_id: id });
    expect([status, error]).toEqual([200, undefined]);
  });

  it("identify a public client that is registered by its bare id during a whole login", async () => {
    const id = "cmm3lndn701oo0uefvxpyy6gr";
    const registered = await api.engine.oauth.registerClient({
      id,
      redirectUris: ["http://localhost:8123/auth/callback"],
    });
    expect(registered.id).toBe(`itgr_${id}`);
    const redirectUri = "http://localhost:51234/auth/callback";
    const { code } = await api.engine.oauth.consent({
      client: id,
      redirectUri,
      codeChallenge: challenge,
      scope: "workspace:admin offline_access",
    });
    const exchanged = await api.token({
      grant_type: "authorization_code",
      client_id: id,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    });
    expect(exchanged.status).toBe(200);
    const refreshed = await api.token({
      grant_type: "refresh_token",
      client_id: `itgr_${id}`,
      refresh_token: String(exchanged.json["refresh_token"]),
    });
    expect(refreshed.status).toBe(200);
    const token = String(refreshed.json["refresh_token"]);
    expect((await api.revoke({ client_id: id, token })).status).toBe(200);
    const revoked = await api.token({ grant_type: "refresh_token", client_id: id, refresh_token: token });
    expect([revoked.status, revoked.error]).toEqual([400, "invalid_grant"]);
  });

  it("identify a confidential client, and match the id in the body", async () => {
    const { code } = await api.engine.oauth.consent({
      client: bare(web.client),
      redirectUri: web.redirectUri,
    });
    const form = {
      grant_type: "authorization_code",
      redirect_uri: web.redirectUri,
      code,
      client_id: web.client,
    };
    expect((await api.token(form, basic(bare(web.client), web.secret))).status).toBe(200);
  });

  it("refuse an unknown client, and one that differs from the header", async () => {
    const unknown = await api.authorize({ ...goodRequest, client_id: "nobody" });
    expect([unknown.status, unknown.redirectedTo]).toEqual([400, undefined]);
    const form = { grant_type: "authorization_code", code: "c", client_id: bare(cli.client) };
    const differing = await api.token(form, basic(web.client, web.secret));
    expect([differing.status, differing.error]).toEqual([400, "invalid_request"]);
  });

  it("prevent a second registration of the same client", async () => {
    const registration = { id: bare(cli.client), redirectUris: ["https://app.example/callback"] };
    await expect(api.engine.oauth.registerClient(registration)).rejects.toMatchObject({ status: 409 });
  });
});

describe("ensurePublicClient", () => {
  const api = useOAuthApi();
  const id = "cmm3lndn701oo0uefvxpyy6gr";

  it("registers a client, and replaces its redirect URIs the next time", async () => {
    const first = await api.engine.oauth.ensurePublicClient({
      id,
      redirectUris: ["https://a.example/callback"],
    });
    expect(first).toMatchObject({ id: `itgr_${id}`, secret: null });
    const redirectUris = ["https://b.example/callback"];
    await api.engine.oauth.ensurePublicClient({ id: `itgr_${id}`, redirectUris });
    expect((await api.store()).clients.get(`itgr_${id}`)?.redirectUris).toEqual(redirectUris);
  });

  it("registers the client again after a reset and in a loaded state", async () => {
    const before = await api.engine.snapshot();
    const redirectUris = ["https://a.example/callback"];
    await api.engine.oauth.ensurePublicClient({ id, redirectUris });
    await api.engine.reset();
    expect((await api.store()).clients.get(`itgr_${id}`)).toMatchObject({ redirectUris, secretHash: null });
    await api.engine.load(before);
    expect((await api.store()).clients.get(`itgr_${id}`)).toMatchObject({ redirectUris, secretHash: null });
  });

  it("leaves a confidential client of a loaded state unchanged", async () => {
    const other = await OAuthApi.open();
    const redirectUris = ["https://b.example/callback"];
    await other.engine.oauth.registerClient({ id, redirectUris, secret: "a secret" });
    await api.engine.oauth.ensurePublicClient({ id, redirectUris: ["https://a.example/callback"] });
    await api.engine.load(await other.engine.snapshot());
    expect((await api.store()).clients.get(`itgr_${id}`)).toMatchObject({
      redirectUris,
      secretHash: expect.any(String),
    });
  });

  it.each(["", "itgr_", "my app", "UPPER", "a/b", "c".repeat(129)])("refuses the id %j", async (bad) => {
    const before = (await api.engine.snapshot()).store;
    const redirectUris = ["https://a.example/callback"];
    await expect(api.engine.oauth.ensurePublicClient({ id: bad, redirectUris })).rejects.toMatchObject({
      status: 400,
    });
    await expect(api.engine.oauth.registerClient({ id: bad, redirectUris })).rejects.toMatchObject({
      status: 400,
    });
    expect((await api.engine.snapshot()).store).toEqual(before);
  });

  it("refuses a redirect URI that cannot be registered, and a confidential client", async () => {
    const refused = (client: string, uri: string) =>
      api.engine.oauth.ensurePublicClient({ id: client, redirectUris: [uri] });
    await expect(refused("unknown", "http://app.example/callback")).rejects.toMatchObject({ status: 400 });
    expect((await api.store()).clients.get("itgr_unknown")).toBeUndefined();
    await expect(refused(cli.client, "https://app.example/callback#x")).rejects.toMatchObject({
      status: 400,
    });
    await expect(refused(web.client, "https://app.example/callback")).rejects.toMatchObject({ status: 409 });
    expect((await api.store()).clients.get(web.client)?.redirectUris).toContain(web.redirectUri);
  });
});
