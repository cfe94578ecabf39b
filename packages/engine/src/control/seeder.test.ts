import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";

let server: MemoryServer;
beforeEach(() => {
  server = new MemoryServer({ deterministic: "seeds", validateResponses: true });
});

describe("seeds", () => {
  it("go to the workspace that is named, and what belongs to them follows", async () => {
    const { otherWorkspace, otherUser } = server.defaults;
    const workspaceId = otherWorkspace.id.replace("wksp_", "");
    const project = await server.seed.project({ name: "shop" }, { workspaceId });
    const { id } = await server.seed.database(project.id.replace("proj_", ""), { name: "reports" });
    const connection = await server.seed.connection(id.replace("db_", ""));
    const app = await server.seed.app(project.id);
    await server.seed.deployment(app.id.replace("cps_", ""));
    await server.seed.branch(project.id);
    await server.seed.serviceToken({}, { workspaceId });
    const { integration } = await server.seed.integration({ workspaceId });
    const { rows } = server;
    for (const row of [
      rows.projects.get(project.id),
      rows.databases.get(id),
      rows.connections.get(connection.id),
    ])
      expect(row).toMatchObject({ workspaceId: otherWorkspace.id });
    expect(rows.serviceTokens.list({ workspaceId: otherWorkspace.id })).toHaveLength(1);
    expect(rows.integrations.get(integration.id)).toMatchObject({
      workspaceId: otherWorkspace.id,
      userId: otherUser.id,
      scopes: ["workspace:admin", "offline_access"],
    });
  });

  it("have databases that are ready", async () => {
    const project = await server.seed.project();
    const database = await server.seed.database(project.id);
    expect(server.store.databases.list().map(({ status }) => status)).toEqual(["ready", "ready"]);
    expect(database.connections).toHaveLength(1);
    expect((await server.seed.backup(database.id)).status).toBe("completed");
    expect((await server.seed.project({ createDatabase: false })).database).toBeNull();
  });

  it.each([
    ["created", undefined],
    ["running", "running"],
    ["provisioning", "provisioning"],
    ["stopped", "stopped"],
    ["stopping", "stopping"],
    ["failed", "failed"],
  ] as const)("have a deployment with the status %s, and no later one", async (expected, status) => {
    const app = await server.seed.app((await server.seed.project()).id);
    const { id } = await server.seed.deployment(app.id, {
      status,
      envVars: { PORT: "80" },
      portMapping: { http: 80 },
    });
    await server.clock.advance(100_000);
    expect(server.rows.deployments.get(id)).toMatchObject({ status: expected, envVars: { PORT: "80" } });
    expect(server.rows.deployments.get(id)?.previewDomain === null).toBe(
      expected === "created" || expected === "failed",
    );
  });

  it("use what they are given: an owner, a client, a user, an email", async () => {
    const user = await server.seed.user({ email: "ada@example.com", name: null });
    expect(user).toMatchObject({ email: "ada@example.com", name: null });
    const workspace = await server.seed.workspace({ name: "team", ownerId: user.id.replace("usr_", "") });
    expect(server.rows.workspaces.get(workspace.id)).toMatchObject({ name: "team", memberIds: [user.id] });
    const options = {
      workspaceId: workspace.id,
      clientId: "itgr_own",
      clientName: "Own",
      scopes: ["offline_access"],
    };
    const { client, integration } = await server.seed.integration(options);
    expect([client.id, client.name]).toEqual(["itgr_own", "Own"]);
    expect(server.rows.integrations.get(integration.id)?.scopes).toEqual(["offline_access"]);
    const again = await server.seed.integration({
      clientId: "itgr_own",
      clientName: "Other",
      userId: user.id,
    });
    expect(again.client.name).toBe("Own");
    expect(server.rows.integrations.get(again.integration.id)?.userId).toBe(user.id);
  });

  it.each<[string, () => Promise<unknown>, object]>([
    [
      "an unknown option",
      () => server.seed.user({ mail: "a" } as never),
      { message: expect.stringContaining("mail") },
    ],
    ["an unknown owner", () => server.seed.workspace({ ownerId: "usr_none" }), { status: 404 }],
    ["an unknown workspace", () => server.seed.project({}, { workspaceId: "wksp_none" }), { status: 404 }],
    ["an unknown project", () => server.seed.database("proj_none"), { status: 404 }],
    ["an unknown database", () => server.seed.connection("db_none"), { status: 404 }],
    ["an unknown app", () => server.seed.deployment("cps_none"), { status: 404 }],
    ["a field that the API refuses", () => server.seed.project({ nmae: "a" } as never), { status: 422 }],
  ])("are refused with %s, and change nothing", async (_name, seed, error) => {
    const before = server.snapshot();
    await expect(seed()).rejects.toMatchObject(error);
    expect({ ...server.snapshot(), random: null }).toEqual({ ...before, random: null });
  });

  it("are refused in a workspace without an owner", async () => {
    const { workspace } = server.defaults;
    server.rows.workspaces.update(workspace.id, { memberIds: [] });
    for (const seed of [server.seed.project(), server.seed.integration()])
      await expect(seed).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining("The workspace has no "),
      });
  });
});
