import type { OperationContext } from "../context/operation-context.js";
import type {
  App,
  Backup,
  Branch,
  Connection,
  Database,
  DeploymentDetails,
  Integration,
  MeUser,
  Project,
  ServiceToken,
  Workspace,
} from "../generated/schemas.js";
import { serializeApp } from "../rules/apps/serialize-app.js";
import { serializeBranch } from "../rules/branches/branches.js";
import { serializeBackup } from "../rules/databases/backups.js";
import { serializeDeploymentDetails } from "../rules/deployments/deployments.js";
import { serializeIntegration } from "../rules/integrations/integrations.js";
import { serializeProject } from "../rules/projects/serialize-project.js";
import { serializeServiceToken } from "../rules/workspaces/service-tokens.js";
import { serializeWorkspace } from "../rules/workspaces/workspaces.js";
import type { Rows } from "../store/collections.js";
import type { AllRowsLookup, Collection } from "../store/store.js";
import { type ResourceType, toCanonicalId } from "../values/ids.js";
import { assertKnownOptions } from "../values/known-options.js";
import {
  type RequestedApproval,
  serializeConnectionWithoutPassword,
  serializeDatabaseWithoutPasswords,
  serializeRequestedApproval,
  serializeUser,
} from "./serialize-resources.js";

/** Values that the named ids of parents and fields of a resource have. Undefined matches any value. Ids of resources may omit their prefix; `agentId` may not. */
export type ResourceFilter<Name extends string> = {
  readonly [N in Name]?: string | boolean | null | undefined;
};

/** The resources of one type. Each call returns new objects that show the current state. */
export interface ResourceCollection<Resource, FilterName extends string> {
  /** Number of resources. */
  readonly size: number;
  /** Returns the resource with an id, which may omit its prefix; undefined if there is none. */
  get(id: string): Resource | undefined;
  /**
   * Returns the resources that match, oldest first.
   *
   * @param filter default: `{}`, which all resources match.
   * @throws TypeError for a name that is not one of the filter's.
   */
  list(filter?: ResourceFilter<FilterName>): Resource[];
  /** Returns the oldest resource that `list` returns; undefined if there is none. */
  find(filter?: ResourceFilter<FilterName>): Resource | undefined;
}

/** The resources of all workspaces, as the API returns them, without passwords. */
export interface ResourceView {
  readonly users: ResourceCollection<MeUser, "email" | "name">;
  readonly workspaces: ResourceCollection<Workspace, "name">;
  readonly serviceTokens: ResourceCollection<ServiceToken, "workspaceId" | "name">;
  readonly integrations: ResourceCollection<Integration, "workspaceId" | "clientId" | "userId">;
  readonly projects: ResourceCollection<Project, "workspaceId" | "name" | "logicalId">;
  readonly branches: ResourceCollection<Branch, "projectId" | "gitName" | "isDefault" | "role">;
  readonly databases: ResourceCollection<
    Database,
    "workspaceId" | "projectId" | "branchId" | "name" | "logicalId" | "isDefault" | "status"
  >;
  readonly connections: ResourceCollection<Connection, "workspaceId" | "databaseId" | "name">;
  readonly backups: ResourceCollection<Backup, "databaseId" | "status">;
  readonly apps: ResourceCollection<App, "workspaceId" | "projectId" | "branchId" | "name" | "logicalId">;
  readonly deployments: ResourceCollection<DeploymentDetails, "appId" | "status">;
  readonly approvals: ResourceCollection<
    RequestedApproval,
    "workspaceId" | "projectId" | "agentId" | "status"
  >;
}

type ViewName = keyof ResourceView;
type ResourceOf<Name extends ViewName> =
  ResourceView[Name] extends ResourceCollection<infer Resource extends object, string> ? Resource : never;
type FilterNameOf<Name extends ViewName> =
  ResourceView[Name] extends ResourceCollection<unknown, infer FilterName> ? FilterName : never;

interface ViewDeclaration<Name extends ViewName> {
  readonly resourceType: ResourceType;
  /** Names in a filter. They name fields of the resource, or else of the row. */
  readonly filterNames: Readonly<Record<FilterNameOf<Name>, true>>;
  serialize(context: OperationContext, row: Rows[Name]): ResourceOf<Name>;
}

const viewDeclarations: { readonly [Name in ViewName]: ViewDeclaration<Name> } = {
  users: {
    resourceType: "user",
    filterNames: { email: true, name: true },
    serialize: (_context, row) => serializeUser(row),
  },
  workspaces: { resourceType: "workspace", filterNames: { name: true }, serialize: serializeWorkspace },
  serviceTokens: {
    resourceType: "service_token",
    filterNames: { workspaceId: true, name: true },
    serialize: (_context, row) => serializeServiceToken(row),
  },
  integrations: {
    resourceType: "integration",
    filterNames: { workspaceId: true, clientId: true, userId: true },
    serialize: serializeIntegration,
  },
  projects: {
    resourceType: "project",
    filterNames: { workspaceId: true, name: true, logicalId: true },
    serialize: serializeProject,
  },
  branches: {
    resourceType: "branch",
    filterNames: { projectId: true, gitName: true, isDefault: true, role: true },
    serialize: serializeBranch,
  },
  databases: {
    resourceType: "database",
    filterNames: {
      workspaceId: true,
      projectId: true,
      branchId: true,
      name: true,
      logicalId: true,
      isDefault: true,
      status: true,
    },
    serialize: serializeDatabaseWithoutPasswords,
  },
  connections: {
    resourceType: "connection",
    filterNames: { workspaceId: true, databaseId: true, name: true },
    serialize: serializeConnectionWithoutPassword,
  },
  backups: {
    resourceType: "backup",
    filterNames: { databaseId: true, status: true },
    serialize: (_context, row) => serializeBackup(row),
  },
  apps: {
    resourceType: "app",
    filterNames: { workspaceId: true, projectId: true, branchId: true, name: true, logicalId: true },
    serialize: (context, row) => serializeApp(context, "apps", row),
  },
  deployments: {
    resourceType: "deployment",
    filterNames: { appId: true, status: true },
    serialize: serializeDeploymentDetails,
  },
  approvals: {
    resourceType: "approval",
    filterNames: { workspaceId: true, projectId: true, agentId: true, status: true },
    serialize: (context, row) => serializeRequestedApproval(context, row, context.clock.now()),
  },
};

/** The resource types of the ids that filters compare. */
const resourceTypeByFieldName: ReadonlyMap<string, ResourceType> = new Map([
  ["workspaceId", "workspace"],
  ["projectId", "project"],
  ["branchId", "branch"],
  ["databaseId", "database"],
  ["appId", "app"],
  ["userId", "user"],
  ["clientId", "client"],
]);

const toFilterValue = (name: string, value: string | boolean | null): string | boolean | null => {
  const resourceType = resourceTypeByFieldName.get(name);
  // `toCanonicalId` throws for a boolean.
  return resourceType === undefined || value === null ? value : toCanonicalId(resourceType, value as string);
};

const createCollection = <Name extends ViewName>(
  name: Name,
  getContext: () => OperationContext,
): ResourceCollection<ResourceOf<Name>, FilterNameOf<Name>> => {
  const { resourceType, filterNames, serialize }: ViewDeclaration<Name> = viewDeclarations[name];
  // The compiler does not follow that a collection has the rows of its name.
  const getCollection = ({ store }: OperationContext): Collection<Rows[Name], AllRowsLookup> =>
    store[name] as unknown as Collection<Rows[Name], AllRowsLookup>;
  const selectResources = function* (
    filter: ResourceFilter<string> = {},
  ): Generator<ResourceOf<Name>, undefined> {
    assertKnownOptions(filter, Object.keys(filterNames));
    const expectedValues = Object.entries(filter).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, toFilterValue(field, value)] as const],
    );
    const currentContext = getContext();
    for (const row of getCollection(currentContext).list({})) {
      const resource = serialize(currentContext, row);
      const fields = new Map<string, unknown>([...Object.entries(row), ...Object.entries(resource)]);
      if (expectedValues.every(([field, value]) => fields.get(field) === value)) yield resource;
    }
    return undefined;
  };
  return {
    get size() {
      return getCollection(getContext()).size;
    },
    get: (id) => {
      const currentContext = getContext();
      const row = getCollection(currentContext).get(toCanonicalId(resourceType, id));
      return row && serialize(currentContext, row);
    },
    list: (filter) => [...selectResources(filter)],
    find: (filter) => selectResources(filter).next().value,
  };
};

/** @param getContext returns the current one. */
export const createResourceView = (getContext: () => OperationContext): ResourceView =>
  Object.fromEntries(
    Object.keys(viewDeclarations).map((name) => [name, createCollection(name as ViewName, getContext)]),
    // The declarations have the names of the view, and a collection has the resources of its name.
  ) as unknown as ResourceView;
