import type * as rows from "../store/rows.js";
import type { Store } from "../store/store.js";
import type { Call } from "./behavior.js";
import { errors } from "./errors.js";

/** Kinds of resource that lie in a workspace, with their rows. */
export interface Reachable {
  workspace: rows.WorkspaceRow;
  service_token: rows.ServiceTokenRow;
  integration: rows.IntegrationRow;
  project: rows.ProjectRow;
  branch: rows.BranchRow;
  database: rows.DatabaseRow;
  connection: rows.ConnectionRow;
  backup: rows.BackupRow;
  app: rows.AppRow;
  deployment: rows.DeploymentRow;
}

type Lookups = { [K in keyof Reachable]: (store: Store, id: string) => Reachable[K] | undefined };

const lookups: Lookups = {
  workspace: (store, id) => store.workspaces.get(id),
  service_token: (store, id) => store.serviceTokens.get(id),
  integration: (store, id) => store.integrations.get(id),
  project: (store, id) => store.projects.get(id),
  branch: (store, id) => store.branches.get(id),
  database: (store, id) => store.databases.get(id),
  connection: (store, id) => store.connections.get(id),
  backup: (store, id) => store.backups.get(id),
  app: (store, id) => store.apps.get(id),
  deployment: (store, id) => store.deployments.get(id),
};

type Owners = { [K in keyof Reachable]: (store: Store, row: Reachable[K]) => string | undefined };

const projectIds: Owners = {
  workspace: () => undefined,
  service_token: () => undefined,
  integration: () => undefined,
  project: (_store, row) => row.id,
  branch: (_store, row) => row.projectId,
  database: (_store, row) => row.projectId,
  connection: (store, row) => store.databases.get(row.databaseId)?.projectId,
  backup: (store, row) => store.databases.get(row.databaseId)?.projectId,
  app: (_store, row) => row.projectId,
  deployment: (store, row) => store.apps.get(row.appId)?.projectId,
};

const ownedByProject = <K extends keyof Reachable>(kind: K) => {
  return (store: Store, row: Reachable[K]): string | undefined => {
    const projectId = projectIds[kind](store, row);
    return projectId === undefined ? undefined : store.projects.get(projectId)?.workspaceId;
  };
};

const workspaceIds: Owners = {
  workspace: (_store, row) => row.id,
  service_token: (_store, row) => row.workspaceId,
  integration: (_store, row) => row.workspaceId,
  project: (_store, row) => row.workspaceId,
  branch: ownedByProject("branch"),
  database: (_store, row) => row.workspaceId,
  connection: (_store, row) => row.workspaceId,
  backup: ownedByProject("backup"),
  app: (_store, row) => row.workspaceId,
  deployment: ownedByProject("deployment"),
};

/** The project that a resource lies in; undefined for what belongs to the workspace itself, or does not exist. */
export const projectIdOf = <K extends keyof Reachable>(
  store: Store,
  kind: K,
  id: string,
): string | undefined => {
  const row = lookups[kind](store, id);
  return row === undefined ? undefined : projectIds[kind](store, row);
};

/** The workspace that a resource lies in; undefined when it does not exist. */
export const workspaceIdOf = <K extends keyof Reachable>(
  store: Store,
  kind: K,
  id: string,
): string | undefined => {
  const row = lookups[kind](store, id);
  return row === undefined ? undefined : workspaceIds[kind](store, row);
};

/**
 * The resource that an id of the call names. A credential reaches exactly its own workspace: throws `<kind>:not_found`
 * when the resource does not exist, and what the contract says of this operation (403 `auth:forbidden` or the same 404)
 * when it lies in another workspace (§ Reading requests).
 */
export const reach = <K extends keyof Reachable>(call: Call, kind: K, id: string): Reachable[K] => {
  const { store } = call.world;
  const row = lookups[kind](store, id);
  if (row === undefined) throw errors.notFound(kind);
  if (workspaceIdOf(store, kind, id) !== call.principal.workspaceId) {
    throw call.foreignStatus === 403 ? errors.forbidden() : errors.notFound(kind);
  }
  return row;
};

/** Whether a filter of a list may show what this id names: it exists, in the credential's own workspace. */
export const isReachable = (call: Call, kind: keyof Reachable, id: string): boolean =>
  workspaceIdOf(call.world.store, kind, id) === call.principal.workspaceId;
