import type { OperationEntry } from "../generated/operations.js";
import { getCollectionName } from "../store/collections.js";
import type * as rows from "../store/rows.js";
import type { Store } from "../store/store.js";
import type { Preload } from "../store/preload.js";
import type { OperationCall } from "../context/operation-handler.js";
import { errors } from "../values/errors.js";

/** The resource types that belong to a workspace, with their rows. */
export interface WorkspaceResources {
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

type RowFinders = {
  [K in keyof WorkspaceResources]: (store: Store, id: string) => WorkspaceResources[K] | undefined;
};

const rowFinders: RowFinders = {
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

type OwnerIdFinders = {
  [K in keyof WorkspaceResources]: (store: Store, row: WorkspaceResources[K]) => string | undefined;
};

const projectIdFinders: OwnerIdFinders = {
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

const createWorkspaceFinder = <K extends keyof WorkspaceResources>(resourceType: K) => {
  return (store: Store, row: WorkspaceResources[K]): string | undefined => {
    const projectId = projectIdFinders[resourceType](store, row);
    return projectId === undefined ? undefined : store.projects.get(projectId)?.workspaceId;
  };
};

const workspaceIdFinders: OwnerIdFinders = {
  workspace: (_store, row) => row.id,
  service_token: (_store, row) => row.workspaceId,
  integration: (_store, row) => row.workspaceId,
  project: (_store, row) => row.workspaceId,
  branch: createWorkspaceFinder("branch"),
  database: (_store, row) => row.workspaceId,
  connection: (_store, row) => row.workspaceId,
  backup: createWorkspaceFinder("backup"),
  app: (_store, row) => row.workspaceId,
  deployment: createWorkspaceFinder("deployment"),
};

/** Returns a field of a resource; undefined when the resource has none, or does not exist. */
export const readField = (
  store: Store,
  resourceType: keyof WorkspaceResources,
  id: string,
  field: string,
): unknown => Reflect.get(rowFinders[resourceType](store, id) ?? {}, field);

/** Returns the project of a resource; undefined when it belongs directly to the workspace, or does not exist. */
export const findResourceProjectId = <K extends keyof WorkspaceResources>(
  store: Store,
  resourceType: K,
  id: string,
): string | undefined => {
  const row = rowFinders[resourceType](store, id);
  return row === undefined ? undefined : projectIdFinders[resourceType](store, row);
};

/** Returns the workspace of a resource; undefined when the resource does not exist. */
export const findResourceWorkspaceId = <K extends keyof WorkspaceResources>(
  store: Store,
  resourceType: K,
  id: string,
): string | undefined => {
  const row = rowFinders[resourceType](store, id);
  return row === undefined ? undefined : workspaceIdFinders[resourceType](store, row);
};

/**
 * Returns the resource with this id. A credential reaches only its own workspace.
 *
 * @throws RequestError 404 `<resource type>:not_found` when the resource does not exist. For a resource in another workspace,
 * the contract of the operation decides between 403 `auth:forbidden` and the same 404.
 */
export const requireAccess = <K extends keyof WorkspaceResources>(
  call: OperationCall,
  resourceType: K,
  id: string,
): WorkspaceResources[K] => {
  const { store } = call.context;
  const row = rowFinders[resourceType](store, id);
  if (row === undefined) throw errors.notFound(resourceType);
  if (findResourceWorkspaceId(store, resourceType, id) !== call.principal.workspaceId) {
    throw call.foreignStatus === 403 ? errors["auth:forbidden"]() : errors.notFound(resourceType);
  }
  return row;
};

/** Returns the preload for each resource that a path names. The ids are canonical. */
export const listPathPreloads = (
  { pathResourceTypes }: Pick<OperationEntry, "pathResourceTypes">,
  path: Readonly<Record<string, string>>,
): Preload[] =>
  Object.entries(pathResourceTypes).flatMap(([name, resourceType]): Preload[] => {
    const id = path[name];
    return id === undefined ? [] : [{ read: "row", table: getCollectionName(resourceType), id }];
  });

/** Returns whether the resource exists in the workspace of the credential, so that a list may filter by it. */
export const isInWorkspace = (
  call: OperationCall,
  resourceType: keyof WorkspaceResources,
  id: string,
): boolean => findResourceWorkspaceId(call.context.store, resourceType, id) === call.principal.workspaceId;
