import type { MemoryServer } from "../../src/server/memory-server.js";
import type { ResourceType } from "../../src/values/ids.js";
import { type OperationEntry, type OperationId, operations } from "../../src/generated/operations.js";

export const allOperations: readonly OperationEntry[] = Object.values(operations);

/** Returns rows for `it.each`: the matching operations with their names. */
export const named = (
  matches: (operation: OperationEntry) => boolean,
): (readonly [name: string, operation: OperationEntry])[] =>
  allOperations.filter(matches).map((operation) => [operation.id, operation] as const);

/** Path segments that are not ids of any kind. */
export const malformedIds = [
  "UPPER",
  "with-hyphen",
  "wrong_prefix",
  "%20",
  "%2e%2e",
  "%00",
  "%zz",
  "a".repeat(129),
  "__proto__",
];

/** Ids of one resource of each kind, all in one workspace. */
export type Fixture = Readonly<
  Record<ResourceType | "extraDatabase" | "stoppedDeployment" | "emptyBranch", string>
>;

/** A workspace with one of everything. */
export const makeFixture = async (engine: MemoryServer, workspaceId: string): Promise<Fixture> => {
  const { seed } = engine;
  const place = { workspaceId };
  const project = await seed.project({}, place);
  const database = project.database;
  if (!database) throw new Error("The project was made without a database");
  const extra = await seed.database(project.id);
  const app = await seed.app(project.id);
  const { integration, client } = await seed.integration(place);
  return {
    user: engine.rows.workspaces.get(workspaceId)?.memberIds[0] ?? "",
    workspace: workspaceId,
    service_token: (await seed.serviceToken({}, place)).id,
    client: client.id,
    integration: integration.id,
    project: project.id,
    branch: (await seed.branch(project.id)).id,
    emptyBranch: (await seed.branch(project.id)).id,
    database: database.id,
    extraDatabase: extra.id,
    connection: database.defaultConnectionId ?? "",
    backup: (await seed.backup(database.id)).id,
    app: app.id,
    deployment: (await seed.deployment(app.id, { status: "running" })).id,
    stoppedDeployment: (await seed.deployment(app.id, { status: "stopped" })).id,
    approval: "apr_none",
  };
};

/**
 * Returns ids for the path. Only a project without dependencies can be deleted; other paths use the fixture's
 * own ids.
 */
const pathIds = (fixture: Fixture): Partial<Record<OperationId, Record<string, string>>> => ({
  "databases.delete": { databaseId: fixture.extraDatabase },
  "deployments.start": { deploymentId: fixture.stoppedDeployment },
  "deployments.delete": { deploymentId: fixture.stoppedDeployment },
  "branches.delete": { branchId: fixture.emptyBranch },
});

const bodies = (fixture: Fixture): Partial<Record<OperationId, object>> => {
  const promotion = { deploymentId: fixture.deployment };
  const app = { displayName: "web", projectId: fixture.project };
  return {
    "projects.create": { name: "shop" },
    "projects.update": { name: "shop" },
    "projects.databases.create": { name: "copy" },
    "databases.create": { projectId: fixture.project },
    "databases.update": { name: "main" },
    "databases.restore": {
      source: { type: "backup", databaseId: fixture.database, backupId: fixture.backup },
    },
    "databases.connections.create": { name: "reader" },
    "connections.create": { databaseId: fixture.database, name: "reader" },
    "workspaces.create": { displayName: "Second" },
    "workspaces.serviceTokens.create": { name: "ci" },
    "projects.branches.create": { gitName: "feature" },
    "branches.update": { isDefault: true },
    "apps.create": app,
    "services.create": app,
    "apps.update": { displayName: "site" },
    "services.update": { displayName: "site" },
    "apps.promote": promotion,
    "services.promote": promotion,
    "apps.deployments.create": {},
    "services.deployments.create": {},
  };
};

export interface ValidRequest {
  method: string;
  path: string;
  body: object | undefined;
}

const queries: Partial<Record<OperationId, string>> = {
  "regions.list": "?product=postgres",
};

/**
 * Returns a request that succeeds for a principal of the fixture's workspace. `recipientAccessToken` belongs
 * to another.
 */
export const validRequest = (
  operation: OperationEntry,
  fixture: Fixture,
  recipientAccessToken: string,
): ValidRequest => {
  const own = pathIds(fixture)[operation.id] ?? {};
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const kind = operation.pathResourceTypes[name];
    return own[name] ?? (kind === undefined ? "" : fixture[kind]);
  });
  const query =
    operation.id === "integrations.list"
      ? `?workspaceId=${fixture.workspace}`
      : (queries[operation.id] ?? "");
  const body =
    operation.id === "projects.transfer" ? { recipientAccessToken } : bodies(fixture)[operation.id];
  return { method: operation.method, path: path + query, body };
};
