import { afterEach, describe, expect, it, vi } from "vitest";
import { type Mock, type MockOptions, setupMock } from "@mgmt/mock";
import { type ServerOptions, createServer as startServer } from "@mgmt/mock/server";

describe("setupMock", () => {
  const open: Mock[] = [];
  afterEach(async () => {
    for (const mock of open.splice(0)) await mock.close();
  });
  const start = (options: MockOptions = {}): Mock => {
    const mock = setupMock(options);
    open.push(mock);
    return mock;
  };
  const bearer = async (token: Promise<string>) => ({ authorization: `Bearer ${await token}` });

  it("takes undefined for an option that is left out", async () => {
    const onDefect = vi.fn();
    const mock = start({ baseUrl: undefined, settings: undefined, validateResponses: undefined, onDefect });
    expect(mock.baseUrl).toBe("https://api.mgmt.test");
    mock.listen({ server: undefined, handlers: undefined, onUnhandledRequest: undefined });
    mock.faults.add({ operation: "me.get", status: 503, code: undefined, times: undefined });
    const { id, name, database } = await mock.seed.project({ name: undefined, region: undefined });
    expect([name, database?.region?.id]).toEqual([expect.stringMatching(/\w/), "us-east-1"]);
    const source = { id: database?.id ?? "", backupId: undefined };
    expect((await mock.seed.database(id, { name: undefined, fromDatabase: source })).name).toMatch(/\w/);
    const app = await mock.seed.app(id, { displayName: undefined, branchId: undefined });
    await mock.seed.deployment(app.id, {
      status: undefined,
      envVars: undefined,
      portMapping: { http: undefined },
    });
    await mock.seed.connection(database?.id ?? "", { name: undefined });
    await mock.seed.branch(id, { gitName: undefined, isDefault: undefined });
    await mock.seed.serviceToken({ name: undefined }, { workspaceId: undefined });
    await mock.seed.user({ email: undefined, name: undefined });
    await mock.seed.workspace({ name: undefined, ownerId: undefined });
    await mock.seed.integration({
      clientName: undefined,
      clientId: undefined,
      userId: undefined,
      scopes: undefined,
    });
    const headers = await bearer(mock.tokens.user({ workspaceId: undefined, expiresAt: undefined }));
    expect((await fetch(`${mock.baseUrl}/v1/me`, { headers })).status).toBe(503);
    expect((await fetch(`${mock.baseUrl}/v1/projects`, { headers })).status).toBe(200);
  });

  it("takes undefined for an option of its server that is left out", async () => {
    const options = { createEngine: undefined, engineOptions: undefined, port: undefined, host: undefined };
    const server = await startServer({ ...options, allowedHosts: undefined, controlSecret: undefined });
    expect(server.host).toBe("127.0.0.1");
    await server.close();
  });

  it.each([
    [
      { determinstic: "a" },
      "There is no option determinstic. Did you mean deterministic? The options are baseUrl, settings, deterministic,",
    ],
    [{ baseURL: "https://a.test" }, "There is no option baseURL. Did you mean baseUrl?"],
    [{ onDefects: () => undefined }, "There is no option onDefects. Did you mean onDefect?"],
    [
      { settings: { baseURL: "https://a.test" } },
      "There is no option settings.baseURL. Did you mean settings.baseUrl?",
    ],
    [
      { settings: { lifecycle: { provisioningMs: 5 } } },
      "There is no option settings.lifecycle.provisioningMs. Did you mean settings.lifecycle.provisioning?",
    ],
  ])("refuses an option that does not exist, and names the one that was meant: %j", (options, message) => {
    // As a JavaScript program would.
    const untyped: unknown = options;
    expect(() => setupMock(untyped as MockOptions)).toThrow(message);
  });

  it.each<[unknown, string]>([
    [null, "The argument must be an object. The options are baseUrl, settings, deterministic,"],
    [[], "The argument must be an object"],
    [{ settings: null }, "settings must be an object"],
    [
      { settings: { lifecycle: { provisioning: -1 } } },
      "settings.lifecycle.provisioning must be a whole number",
    ],
    [{ deterministic: 5 }, "deterministic must be a string"],
    [{ frozen: "no" }, "frozen must be true or false"],
    [{ logCapacity: 0 }, "logCapacity must be a number, at least 1"],
    [{ logCapacity: NaN }, "logCapacity must be a number, at least 1"],
    [{ onDefect: console }, "onDefect must be a function"],
    [{ initial: "state.json" }, "initial must be an object"],
    [{ startAt: null }, "The time is neither milliseconds since 1970 nor a date"],
  ])("refuses an option of another type: %j", (options, message) => {
    expect(() => setupMock(options as MockOptions)).toThrow(message);
  });

  it.each<[string, (mock: Mock, given: never) => unknown, unknown, string]>([
    [
      "faults.add",
      ({ faults }, given) => faults.add(given),
      null,
      "The argument must be an object. The options are operation, skip,",
    ],
    ["faults.add", ({ faults }, given) => faults.add(given), 503, "The argument must be an object"],
    ["faults.add", ({ faults }, given) => faults.add(given), [], "The argument must be an object"],
    [
      "setRateLimit",
      (mock, given) => mock.setRateLimit(given),
      { requests: 1, window: 1, operations: "apps.list" },
      "operations must be an array of ids",
    ],
    [
      "clock.set",
      ({ clock }, given) => clock.set(given),
      null,
      "The time is neither milliseconds since 1970",
    ],
    [
      "seed.user",
      ({ seed }, given) => seed.user(given),
      null,
      "The argument must be an object. The options are email, name",
    ],
    [
      "seed.workspace",
      ({ seed }, given) => seed.workspace(given),
      "shop",
      "The argument must be an object. The options are name, ownerId",
    ],
    [
      "seed.integration",
      ({ seed }, given) => seed.integration(given),
      { user: "usr_1" },
      "Did you mean userId?",
    ],
    [
      "seed.database",
      ({ seed }, given) => seed.database(given),
      null,
      "The id of the project must be a string",
    ],
    [
      "tokens.user",
      ({ tokens }, given) => tokens.user(given),
      null,
      "The options are scopes, expiresAt, notBefore, userId,",
    ],
    [
      "tokens.service",
      ({ tokens }, given) => tokens.service(given),
      "stk_1",
      "The options are scopes, expiresAt, notBefore, serviceTokenId",
    ],
    [
      "tokens.agent",
      ({ tokens }, given) => tokens.agent(given),
      { sponsor: "usr_1" },
      "Did you mean sponsorId?",
    ],
    [
      "approvals.approve",
      ({ approvals }, given) => approvals.approve(given),
      undefined,
      "The id of the approval must be a string",
    ],
    [
      "states.backUp",
      ({ states }, given) => states.backUp(given),
      5,
      "The id of the database must be a string",
    ],
    [
      "oauth.consent",
      ({ oauth }, given) => oauth.consent(given),
      null,
      "The argument must be an object. The options are url, client,",
    ],
    [
      "oauth.registerClient",
      ({ oauth }, given) => oauth.registerClient(given),
      {},
      "redirectUris must be an array of URIs",
    ],
  ])("refuses in %s what is not valid, and says what is: %#", async (_name, call, given, message) => {
    const mock = start();
    // As a JavaScript program would.
    await expect((async () => call(mock, given as never))()).rejects.toThrow(message);
  });

  it("refuses options of the mock that are passed to its server directly", async () => {
    const options: unknown = { deterministic: "a" };
    await expect(startServer(options as ServerOptions)).rejects.toThrow(
      "There is no option deterministic. The options are createEngine, engineOptions, port, host, allowedHosts, controlSecret",
    );
  });

  it("checks its own responses against the contract", async () => {
    const defects: unknown[] = [];
    const mock = start({ onDefect: (error) => defects.push(error) });
    const project = await mock.seed.project();
    // A test may write to the store what no operation would.
    mock.rows.projects.update(project.id, { name: 5 as unknown as string });
    const response = await mock.fetch(`${mock.baseUrl}/v1/projects/${project.id}`, {
      headers: await bearer(mock.tokens.user()),
    });
    expect(response.status).toBe(500);
    expect(String(defects[0])).toContain("/data/name must be a string");
  });

  it.each(["https://api.mgmt.test/", "https://api.mgmt.test/v1"])("refuses the base URL %s", (baseUrl) => {
    expect(() => setupMock({ baseUrl })).toThrow(TypeError);
  });

  it("seeds one of everything, ready to use", async () => {
    const mock = start({ deterministic: "everything" });
    const project = await mock.seed.project({ name: "shop", region: "eu-central-1" });
    const database = await mock.seed.database(project.id, { name: "reports" });
    const connection = await mock.seed.connection(database.id, { name: "reader" });
    const backup = await mock.seed.backup(database.id);
    const branch = await mock.seed.branch(project.id, { gitName: "feature" });
    const app = await mock.seed.app(project.id, { displayName: "web", branchId: branch.id });
    const deployment = await mock.seed.deployment(app.id, { status: "running" });
    const token = await mock.seed.serviceToken({ name: "ci" });
    const { integration } = await mock.seed.integration({ clientName: "Editor" });
    const { rows } = mock;
    expect([
      rows.databases.get(database.id)?.status,
      rows.connections.get(connection.id)?.name,
      rows.backups.get(backup.id)?.status,
      rows.apps.get(app.id)?.branchId,
      rows.deployments.get(deployment.id)?.status,
      rows.serviceTokens.get(token.id)?.valueHint,
      rows.integrations.get(integration.id)?.scopes,
    ]).toEqual([
      "ready",
      "reader",
      "completed",
      branch.id,
      "running",
      token.value.slice(-4),
      ["workspace:admin", "offline_access"],
    ]);
    expect(
      (await mock.fetch(`${mock.baseUrl}/v1/me`, { headers: await bearer(Promise.resolve(token.value)) }))
        .status,
    ).toBe(200);
  });

  it("refuses to seed what the API would refuse", async () => {
    const mock = start();
    await expect(mock.seed.project({ name: "" })).rejects.toMatchObject({ code: "validation:failed" });
    await expect(mock.seed.database("proj_none")).rejects.toMatchObject({ code: "project:not_found" });
    const project = await mock.seed.project({ logicalId: "shop" });
    await expect(mock.seed.project({ logicalId: "shop" })).rejects.toMatchObject({ status: 409 });
    expect(mock.store.projects.list({}).map(({ id }) => id)).toEqual([project.id]);
  });

  it("creates tokens of other users and workspaces", async () => {
    const mock = start();
    const user = await mock.seed.user({ email: "new@example.com" });
    await expect(mock.tokens.user({ userId: user.id })).rejects.toThrow("is not a member of a workspace");
    const workspace = await mock.seed.workspace({ ownerId: user.id });
    await expect(mock.tokens.user({ workspaceId: workspace.id })).rejects.toThrow(
      `${mock.defaults.user.email} is not a member of the workspace ${workspace.id}`,
    );
    await expect(mock.tokens.user({ workspaceId: "wksp_none" })).rejects.toThrow(
      "The workspace wksp_none does not exist",
    );
    const headers = await bearer(mock.tokens.user({ userId: user.id }));
    const { data } = (await (await mock.fetch(`${mock.baseUrl}/v1/me`, { headers })).json()) as {
      data: { workspace: { id: string } };
    };
    expect(data.workspace.id).toBe(workspace.id);
  });
});
