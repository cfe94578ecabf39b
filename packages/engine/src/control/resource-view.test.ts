import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";

let server: MemoryServer;
let ids: Record<"project" | "database" | "connection" | "branch" | "app" | "deployment" | "backup", string>;
beforeEach(async () => {
  server = new MemoryServer({ deterministic: "view", validateResponses: true });
  const { seed } = server;
  const { id: project, database: firstDatabase } = await seed.project({ name: "shop" });
  const database = firstDatabase?.id ?? "";
  const { id: app } = await seed.app(project, { displayName: "web" });
  ids = {
    project,
    database,
    connection: (await seed.connection(database, { name: "reader" })).id,
    branch: (await seed.branch(project, { gitName: "preview" })).id,
    app,
    deployment: (await seed.deployment(app, { status: "running", envVars: { PORT: "80" } })).id,
    backup: (await seed.backup(database)).id,
  };
});

/** Returns the `data` of the response to a request of the first user. */
const read = async (path: string): Promise<unknown> => {
  const headers = { authorization: `Bearer ${await server.tokens.user()}` };
  const { status, body = "" } = await server.handle({ method: "GET", path, headers });
  expect(status, body).toBe(200);
  const { data } = JSON.parse(body, (name, value: unknown) =>
    name === "directConnection" ? undefined : value,
  ) as { data: unknown };
  return data;
};

describe("the view of a server's resources", () => {
  it("has what the API returns", async () => {
    const { store, defaults } = server;
    const integration = (await server.seed.integration()).integration.id;
    const workspace = defaults.workspace.id;
    expect(store.projects.get(ids.project)).toEqual(await read(`/v1/projects/${ids.project}`));
    expect(store.databases.get(ids.database)).toEqual(await read(`/v1/databases/${ids.database}`));
    expect(store.connections.get(ids.connection)).toEqual(await read(`/v1/connections/${ids.connection}`));
    expect(store.branches.get(ids.branch)).toEqual(await read(`/v1/branches/${ids.branch}`));
    expect(store.apps.get(ids.app)).toEqual(await read(`/v1/apps/${ids.app}`));
    expect(store.deployments.get(ids.deployment)).toEqual(await read(`/v1/deployments/${ids.deployment}`));
    expect(store.backups.list()).toEqual(await read(`/v1/databases/${ids.database}/backups`));
    expect(store.integrations.get(integration)).toEqual(await read(`/v1/integrations/${integration}`));
    expect(store.serviceTokens.list()).toEqual(await read(`/v1/workspaces/${workspace}/service-tokens`));
    expect([store.workspaces.get(workspace)]).toEqual(await read("/v1/workspaces"));
    expect(store.users.list()).toEqual([defaults.user, defaults.otherUser]);
  });

  it("counts, lists, and finds them by parents and fields", async () => {
    const { store, defaults } = server;
    const workspaceId = defaults.workspace.id;
    const other = await server.seed.project(
      { name: "shop", createDatabase: false },
      { workspaceId: defaults.otherWorkspace.id },
    );
    expect([store.projects.size, store.databases.size, store.apps.size]).toEqual([2, 1, 1]);
    const allProjects = store.projects.list();
    expect(allProjects.map(({ id }) => id)).toEqual([ids.project, other.id]);
    expect(store.projects.list({})).toEqual(allProjects);
    expect(store.projects.list({ workspaceId: undefined })).toEqual(allProjects);
    expect(store.projects.find()?.id).toBe(ids.project);
    expect(store.projects.find({})?.id).toBe(ids.project);
    expect(store.projects.find({ workspaceId: defaults.otherWorkspace.id })?.id).toBe(other.id);
    expect(store.projects.list({ name: "shop", workspaceId })).toEqual([allProjects[0]]);
    expect(store.projects.find({ name: "none" })).toBeUndefined();
    expect(store.databases.find({ projectId: ids.project, isDefault: true })?.id).toBe(ids.database);
    expect(store.databases.list({ branchId: null })).toEqual([]);
    expect(store.connections.list({ databaseId: ids.database })).toHaveLength(2);
    expect(store.deployments.list({ appId: ids.app, status: "running" })).toHaveLength(1);
    expect(store.backups.list({ databaseId: ids.database, status: "failed" })).toEqual([]);
  });

  it("accepts ids without their prefix", () => {
    const { store } = server;
    expect(store.projects.get(ids.project.replace("proj_", ""))?.id).toBe(ids.project);
    const projectId = ids.project.replace("proj_", "");
    expect(store.branches.find({ projectId, gitName: "preview" })?.id).toBe(ids.branch);
  });

  it("refuses a value that is neither a filter nor an id", () => {
    const { projects } = server.store;
    const refused: [call: () => unknown, message: string][] = [
      // @ts-expect-error not a name of the filter
      [() => projects.list({ workspacId: "w" }), "There is no option workspacId. Did you mean workspaceId?"],
      // @ts-expect-error no object
      [() => projects.find("shop"), "The argument must be an object"],
      // @ts-expect-error no object
      [() => projects.list(null), "The argument must be an object"],
      [() => projects.list({ workspaceId: true }), "The id of the workspace must be a string"],
      // @ts-expect-error no id
      [() => projects.get(undefined), "The id of the project must be a string"],
    ];
    for (const [call, message] of refused) {
      expect(call, message).toThrow(TypeError);
      expect(call).toThrow(message);
    }
    expect(projects.get("proj_none")).toBeUndefined();
  });

  it("shows the state of each moment, also after a reset and another snapshot", async () => {
    const { store } = server;
    const before = store.databases.get(ids.database);
    await server.states.setDatabaseStatus(ids.database, "failure");
    expect([before?.status, store.databases.get(ids.database)?.status]).toEqual(["ready", "failure"]);
    expect(store.databases.list({ status: "ready" })).toEqual([]);
    const snapshot = server.snapshot();
    await server.reset();
    expect([store.projects.size, store.workspaces.size]).toEqual([0, 2]);
    await server.load(snapshot);
    expect(store.databases.get(ids.database)?.status).toBe("failure");
  });

  it("cannot change the state", async () => {
    const { store } = server;
    await server.seed.integration();
    const before = JSON.stringify(server.snapshot().store);
    for (const resource of [
      ...store.projects.list(),
      ...store.databases.list(),
      ...store.deployments.list(),
      ...store.integrations.list(),
      ...store.apps.list(),
    ])
      empty(resource);
    expect(JSON.stringify(server.snapshot().store)).toBe(before);
    expect(Object.keys(store.projects).sort()).toEqual(["find", "get", "list", "size"]);
  });

  it("has the current status of approvals", async () => {
    const headers = { authorization: `Bearer ${await server.tokens.agent()}` };
    const { id: projectId } = await server.seed.project();
    await server.handle({ method: "DELETE", path: `/v1/projects/${projectId}`, headers });
    const { approvals } = server.store;
    expect(approvals.size).toBe(1);
    expect(approvals.list({ status: "pending", projectId })).toEqual(server.approvals.list());
    await server.clock.advance(15 * 60_000);
    expect(approvals.list({ status: "pending" })).toEqual([]);
    expect(approvals.find({ status: "expired" })?.request).toBe(`DELETE /v1/projects/${projectId}`);
  });

  it("has no secret, and no rows of logins", async () => {
    const value = (await server.seed.serviceToken()).value;
    const { store } = server.snapshot();
    const secrets = [
      value,
      ...store.connections.rows.map(([, { pass }]) => pass),
      ...store.deployments.rows.flatMap(([, { uploadKeyHash }]) => uploadKeyHash ?? []),
      ...store.clients.rows.flatMap(([, { secretHash }]) => secretHash ?? []),
    ];
    expect(secrets.length).toBeGreaterThan(3);
    const text = JSON.stringify(Object.values(server.store).map((collection) => collection.list()));
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(Object.keys(server.store).sort()).toEqual([
      ...["approvals", "apps", "backups", "branches", "connections", "databases", "deployments"],
      ...["integrations", "projects", "serviceTokens", "users", "workspaces"],
    ]);
  });
});

/** Removes everything from an object, and from those in it. */
const empty = (object: object): void => {
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === "object" && value !== null) empty(value as object);
    Reflect.deleteProperty(object, name);
  }
};
