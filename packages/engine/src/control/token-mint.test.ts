import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";

const hour = 3_600;
let server: MemoryServer;
let now: number;
beforeEach(() => {
  server = new MemoryServer({ deterministic: "tokens" });
  now = server.clock.now() / 1_000;
});

const claimsOf = async (token: Promise<string>): Promise<Record<string, unknown>> =>
  JSON.parse(Buffer.from((await token).split(".")[1] ?? "", "base64url").toString()) as Record<
    string,
    unknown
  >;

describe("a token", () => {
  it("is of the principal that is asked for, for an hour", async () => {
    const { user, workspace, otherUser, otherWorkspace, agentId, serviceToken } = server.defaults;
    const owner = { sub: user.id, email: user.email, workspace_id: workspace.id, scope: "workspace:admin" };
    const { tokens } = server;
    expect(await claimsOf(tokens.user())).toMatchObject({ ...owner, iat: now, nbf: now, exp: now + hour });
    expect(await claimsOf(tokens.otherUser())).toMatchObject({
      sub: otherUser.id,
      workspace_id: otherWorkspace.id,
    });
    expect(await claimsOf(tokens.withoutScope())).toMatchObject({ ...owner, scope: "offline_access" });
    expect(await claimsOf(tokens.expired())).toMatchObject({
      ...owner,
      nbf: now - 2 * hour,
      exp: now - hour,
    });
    expect(await claimsOf(tokens.agent())).toMatchObject({
      ...{ sub: agentId, act: "agent", sponsor: user.id, workspace_id: workspace.id, exp: now + hour },
    });
    const service = await claimsOf(tokens.service());
    expect(service).toMatchObject({ sub: `workspace:${workspace.id}`, jti: serviceToken.id });
    expect("exp" in service).toBe(false);
  });

  it("has the options that it is made with", async () => {
    const { tokens, seed, defaults } = server;
    const { id: userId } = await seed.user();
    await seed.workspace({ ownerId: userId });
    const { id: workspaceId } = await seed.workspace({ ownerId: userId });
    const { integration, client } = await seed.integration({ workspaceId });
    const common = { scopes: ["a", "b"], expiresAt: "2026-02-01", notBefore: 5_000 } as const;
    const commonClaims = { scope: "a b", exp: Date.UTC(2026, 1, 1) / 1_000, nbf: 5 };
    const short = (id: string) => id.replace(/^[a-z]+_/, "");
    const ids = {
      userId: short(userId),
      workspaceId: short(workspaceId),
      integrationId: short(integration.id),
    };
    expect(await claimsOf(tokens.user({ ...ids, ...common }))).toMatchObject({
      ...{ ...commonClaims, sub: userId, workspace_id: workspaceId },
      ...{ integration_id: integration.id, client_id: client.id },
    });
    expect(await claimsOf(tokens.otherUser(common))).toMatchObject(commonClaims);
    expect(
      await claimsOf(tokens.agent({ ...common, agentId: "agent_x", sponsorId: short(userId) })),
    ).toMatchObject({
      ...{ ...commonClaims, sub: "agent_x", sponsor: userId },
    });
    const { id: serviceTokenId } = await seed.serviceToken({}, { workspaceId: defaults.otherWorkspace.id });
    expect(
      await claimsOf(tokens.service({ ...common, serviceTokenId: short(serviceTokenId) })),
    ).toMatchObject({
      ...{ ...commonClaims, sub: `workspace:${defaults.otherWorkspace.id}`, jti: serviceTokenId },
    });
    expect("exp" in (await claimsOf(tokens.user({ expiresAt: null })))).toBe(false);
  });

  it("of a tenant belongs to its workspace by default", async () => {
    const tenant = await server.createTenant("shop");
    const { id } = tenant.workspace;
    expect(await claimsOf(tenant.tokens.user())).toMatchObject({ workspace_id: id });
    expect(await claimsOf(tenant.tokens.service())).toMatchObject({ sub: `workspace:${id}` });
    expect(await claimsOf(tenant.tokens.agent())).toMatchObject({ workspace_id: id });
  });

  it.each<[string, () => Promise<string>, object]>([
    ["an unknown user", () => server.tokens.user({ userId: "usr_none" }), { status: 404 }],
    ["an unknown workspace", () => server.tokens.user({ workspaceId: "wksp_none" }), { status: 404 }],
    [
      "a workspace of others",
      () => server.tokens.user({ workspaceId: server.defaults.otherWorkspace.id }),
      { status: 409 },
    ],
    ["an unknown service token", () => server.tokens.service({ serviceTokenId: "st_none" }), { status: 404 }],
    ["a sponsor without a workspace", () => server.tokens.agent({ sponsorId: "usr_none" }), { status: 409 }],
    ["a time that is none", () => server.tokens.user({ expiresAt: "soon" }), { status: 400 }],
    [
      "an option of another kind",
      () => server.tokens.service({ userId: "usr_a" } as never),
      { name: "TypeError" },
    ],
    ["an unknown option", () => server.tokens.agent({ scope: [] } as never), { name: "TypeError" }],
  ])("is refused for %s", async (_name, make, error) => {
    await expect(make()).rejects.toMatchObject(error);
  });
});
