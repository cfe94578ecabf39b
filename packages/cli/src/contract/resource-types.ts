import { idPrefixes } from "./generated/id-prefixes.js";

/** How the service lists and reads resources of a type, and the noun for them. */
export interface ResourceTypeInfo {
  /** The noun for one resource in messages: `service token`. */
  readonly noun: string;
  readonly plural: string;
  /** Path of the request that lists resources of this type. */
  readonly list: string;
  /** Parents that the list can be limited to. The CLI asks for the first. */
  readonly parents?: readonly ParentType[];
  /** Path of the request that reads one resource, whose id is `{id}`. Absent if only the list returns it. */
  readonly get?: string;
  /** Where the id is in an item of the list. Default: `id`. */
  readonly id?: readonly string[];
  /** Types of the resources that a resource of this type contains. */
  readonly contents?: readonly ResourceType[];
}

/** A type whose resources contain others, and the parameter by which a list is limited to one of them. */
export interface ParentType {
  readonly resourceType: ResourceType;
  /** Parameter of the list with the id of the parent. */
  readonly parameter: string;
}

const projectParent: ParentType = { resourceType: "project", parameter: "projectId" };
const branchParent: ParentType = { resourceType: "branch", parameter: "branchId" };
const databaseParent: ParentType = { resourceType: "database", parameter: "databaseId" };
const workspaceParent: ParentType = { resourceType: "workspace", parameter: "workspaceId" };

const resourceTypeNames = [
  "workspace",
  "project",
  "branch",
  "database",
  "connection",
  "backup",
  "app",
  "deployment",
  "service token",
  "integration",
  "client",
] as const;

/** Name of a resource type, as in the path arguments of the contract. Services are apps. */
export type ResourceType = (typeof resourceTypeNames)[number];

/** How the service lists and reads the resources of each type. */
export const resourceTypes: Readonly<Record<ResourceType, ResourceTypeInfo>> = {
  workspace: {
    noun: "workspace",
    plural: "workspaces",
    list: "/v1/workspaces",
    get: "/v1/workspaces/{id}",
  },
  project: {
    noun: "project",
    plural: "projects",
    list: "/v1/projects",
    get: "/v1/projects/{id}",
    contents: ["database", "branch", "app"],
  },
  branch: {
    noun: "branch",
    plural: "branches",
    list: "/v1/projects/{projectId}/branches",
    parents: [projectParent],
    get: "/v1/branches/{id}",
    contents: ["database", "app"],
  },
  database: {
    noun: "database",
    plural: "databases",
    list: "/v1/databases",
    parents: [projectParent, branchParent],
    get: "/v1/databases/{id}",
    contents: ["connection", "backup"],
  },
  connection: {
    noun: "connection",
    plural: "connections",
    list: "/v1/connections",
    parents: [databaseParent],
    get: "/v1/connections/{id}",
  },
  backup: {
    noun: "backup",
    plural: "backups",
    list: "/v1/databases/{databaseId}/backups",
    parents: [databaseParent],
  },
  app: {
    noun: "service",
    plural: "services",
    list: "/v1/services",
    parents: [projectParent, branchParent],
    get: "/v1/services/{id}",
    contents: ["deployment"],
  },
  deployment: {
    noun: "deployment",
    plural: "deployments",
    list: "/v1/services/{serviceId}/deployments",
    parents: [{ resourceType: "app", parameter: "serviceId" }],
    get: "/v1/deployments/{id}",
  },
  "service token": {
    noun: "service token",
    plural: "service tokens",
    list: "/v1/workspaces/{workspaceId}/service-tokens",
    parents: [workspaceParent],
  },
  integration: {
    noun: "integration",
    plural: "integrations",
    list: "/v1/workspaces/{workspaceId}/integrations",
    parents: [workspaceParent],
    get: "/v1/integrations/{id}",
  },
  client: {
    noun: "integration",
    plural: "integrations",
    list: "/v1/workspaces/{workspaceId}/integrations",
    parents: [workspaceParent],
    id: ["client", "id"],
  },
};

export const isResourceType = (name: string | undefined): name is ResourceType =>
  resourceTypeNames.some((resourceTypeName) => resourceTypeName === name);

/** Returns the noun for a resource of a type, as users know it: `service` for `app`. A name that is not a resource type is returned as it is. */
export const getResourceTypeNoun = (name: string): string =>
  isResourceType(name) ? resourceTypes[name].noun : name;

/** Returns the resource type whose ids have a prefix. */
export const getResourceTypeByPrefix = (prefix: string | undefined): ResourceType | undefined =>
  Object.entries(idPrefixes)
    .filter(([, value]) => value === prefix)
    .map(([name]) => name.replaceAll("_", " "))
    .find(isResourceType);
