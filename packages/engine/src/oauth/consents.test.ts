import { describe, expect, it } from "vitest";
import { challenge, cli, encode, goodRequest, pairOf, web, useOAuthApi } from "../../test/oauth/oauth-api.js";

describe("consent and the workspace's integration", () => {
  const api = useOAuthApi();

  const integrations = async () => {
    const { tokens } = api.engine;
    const { json } = await api.send({
      method: "GET",
      path: `/v1/integrations?workspaceId=${api.defaults.workspace.id}`,
      headers: { authorization: `Bearer ${await tokens.user()}` },
    });
    // The claims that the contract lists.
    return json["data"] as { id: string; scopes: string[]; client: { id: string; name: string } }[];
  };
  const remove = async (path: string) => {
    const headers = { authorization: `Bearer ${await api.engine.tokens.user()}` };
    return (await api.send({ method: "DELETE", path, headers })).status;
  };

  it("creates one, which integrations.list returns", async () => {
    expect(await integrations()).toEqual([]);
    await api.code();
    expect(await integrations()).toMatchObject([
      {
        scopes: ["workspace:admin", "offline_access"],
        client: { id: cli.client, name: "mgmt CLI" },
        createdByUser: { email: "ada@example.com" },
      },
    ]);
  });

  it("refreshes it the next time, and widens its scopes", async () => {
    await api.code({ scope: "workspace:admin" });
    const [first] = await integrations();
    await api.code({ scope: "offline_access" });
    expect(await integrations()).toEqual([{ ...first, scopes: ["workspace:admin", "offline_access"] }]);
    await api.engine.oauth.consent({ client: web.client, redirectUri: web.redirectUri });
    expect(await integrations()).toHaveLength(2);
  });

  const routes: [string, (id: string) => string][] = [
    ["integrations.delete", (id) => `/v1/integrations/${id}`],
    [
      "workspaces.integrations.delete",
      () => `/v1/workspaces/${api.defaults.workspace.id}/integrations/${cli.client}`,
    ],
  ];
  it.each(routes)("%s invalidates codes, refresh tokens and access tokens at once", async (_name, pathOf) => {
    const pair = await api.login();
    const renewed = pairOf(await api.refresh(pair.refreshToken));
    const code = await api.code();
    const bystander = await api.engine.oauth.consent({ client: web.client, redirectUri: web.redirectUri });
    const [integration] = await integrations();
    expect(await remove(pathOf(integration?.id ?? ""))).toBe(204);

    expect((await api.redeem(code)).error).toBe("invalid_grant");
    expect((await api.refresh(renewed.refreshToken)).error).toBe("invalid_grant");
    expect((await api.refresh(pair.refreshToken)).error).toBe("invalid_grant");
    for (const { accessToken } of [pair, renewed]) expect(await api.reach(accessToken)).toBe(401);
    const kept = await api.token({
      ...{ grant_type: "authorization_code", code: bystander.code, redirect_uri: web.redirectUri },
      ...{ client_id: web.client, client_secret: web.secret },
    });
    expect(kept.status).toBe(200);

    const again = await api.login();
    expect(await api.reach(again.accessToken)).toBe(200);
    const [, made] = await integrations();
    expect(made?.id).not.toBe(integration?.id);
    expect((await api.redeem(code)).error).toBe("invalid_grant");
    expect((await api.refresh(renewed.refreshToken)).error).toBe("invalid_grant");
    expect(await api.reach(renewed.accessToken)).toBe(401);
  });

  it("issues no token that was being signed while the integration was deleted", async () => {
    const redeeming = api.redeem(await api.code());
    const [{ id } = { id: "" }] = (await api.store()).integrations.list({});
    const headers = { authorization: `Bearer ${await api.engine.tokens.user()}` };
    await api.engine.handle({ method: "DELETE", path: `/v1/integrations/${id}`, headers });
    const redeemed = await redeeming;
    if (redeemed.status === 200) {
      const pair = pairOf(redeemed);
      expect(await api.reach(pair.accessToken)).toBe(401);
      expect((await api.refresh(pair.refreshToken)).error).toBe("invalid_grant");
    }
    // With the rows in Postgres, the deletion may be first.
    else expect(redeemed).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  it("belongs to one workspace", async () => {
    const { defaults } = api;
    const { seed } = api.engine;
    const { id: workspace } = await seed.workspace({ ownerId: defaults.user.id });
    const mine = await api.login();
    const there = await api.login({ workspace });
    const other = await api.login({ user: defaults.otherUser.id });
    expect(new Set((await api.store()).integrations.list({}).map((row) => row.workspaceId)).size).toBe(3);
    const [{ id } = { id: "" }] = await integrations();
    expect(await remove(`/v1/integrations/${id}`)).toBe(204);
    expect(await api.reach(mine.accessToken)).toBe(401);
    expect(await api.reach(there.accessToken)).toBe(200);
    expect(await api.reach(other.accessToken)).toBe(200);
  });
});

describe("mock.oauth.consent", () => {
  const api = useOAuthApi();

  it("returns a client's whole address with the redirect that the browser would follow", async () => {
    const url = `${api.issuer}/authorize?${encode(goodRequest)}`;
    const { redirect, code } = await api.engine.oauth.consent({ url });
    const { origin, pathname, searchParams } = new URL(redirect);
    expect(origin + pathname).toBe(cli.redirectUri);
    expect(Object.fromEntries(searchParams)).toEqual({ code, state: goodRequest.state, iss: api.issuer });
    expect((await api.redeem(code)).status).toBe(200);
  });

  it("has a counterpart that denies access (RFC 6749, section 4.1.2.1)", async () => {
    const { redirect } = await api.engine.oauth.deny({ ...cli, state: "s", codeChallenge: challenge });
    expect(Object.fromEntries(new URL(redirect).searchParams)).toMatchObject({
      error: "access_denied",
      state: "s",
      iss: api.issuer,
    });
    expect((await api.store()).integrations.size).toBe(0);
  });

  const rejections: [string, Parameters<typeof api.engine.oauth.consent>[0], number][] = [
    ["an unknown client", { ...cli, client: "itgr_nobody" }, 400],
    ["another redirect URI", { ...cli, redirectUri: "https://evil.example/" }, 400],
    ["no PKCE", { ...cli }, 400],
    ["plain", { ...cli, codeChallenge: challenge, codeChallengeMethod: "plain" }, 400],
    ["an unknown scope", { ...cli, codeChallenge: challenge, scope: "everything" }, 400],
    ["an unknown user", { ...cli, codeChallenge: challenge, user: "usr_nobody" }, 404],
    ["an unknown workspace", { ...cli, codeChallenge: challenge, workspace: "wksp_none" }, 404],
    ["no URL", { url: "nowhere" }, 400],
    ["a URL without a request", { url: "https://auth.mgmt.test/authorize" }, 400],
  ];
  it.each(rejections)("refuses %s", async (_name, options, status) => {
    await expect(api.engine.oauth.consent(options)).rejects.toMatchObject({ name: "ControlError", status });
    expect((await api.store()).integrations.size).toBe(0);
  });

  it("refuses a workspace that the user is no member of", async () => {
    const workspace = api.defaults.otherWorkspace.id;
    const refused = api.engine.oauth.consent({ ...cli, codeChallenge: challenge, workspace });
    await expect(refused).rejects.toMatchObject({ status: 409 });
  });
});
