import { idPrefixes } from "./generated/id-prefixes.js";

/** A kind of resource: how the service lists and reads it, and what people call it. */
export interface ResourceKind {
  /** What people call one resource: `service token`. */
  readonly noun: string;
  readonly plural: string;
  /** Path of the request that lists resources of this kind. */
  readonly list: string;
  /** Parents that the list can be limited to. The CLI asks for the first. */
  readonly parents?: readonly ParentKind[];
  /** Path of the request that reads one resource, whose id is `{id}`. Absent if only the list returns it. */
  readonly get?: string;
  /** Where the id is in an item of the list. Default: `id`. */
  readonly id?: readonly string[];
  /** Kinds of the resources that a resource of this kind contains. */
  readonly contents?: readonly KindName[];
}

/** A kind whose resources contain others, and the parameter by which a list is limited to one of them. */
export interface ParentKind {
  readonly kind: KindName;
  /** Parameter of the list with the id of the parent. */
  readonly parameter: string;
}

const projectParent: ParentKind = { kind: "project", parameter: "projectId" };
const branchParent: ParentKind = { kind: "branch", parameter: "branchId" };
const databaseParent: ParentKind = { kind: "database", parameter: "databaseId" };
const workspaceParent: ParentKind = { kind: "workspace", parameter: "workspaceId" };

const kindNames = [
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

/** Name of a kind, as the path arguments of the contract have it. Services are apps. */
export type KindName = (typeof kindNames)[number];

/** How the service lists and reads the resources of each kind. */
export const resourceKinds: Readonly<Record<KindName, ResourceKind>> = {
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
    parents: [{ kind: "app", parameter: "serviceId" }],
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

export const isKindName = (name: string | undefined): name is KindName =>
  kindNames.some((kindName) => kindName === name);

/** Returns what users call a resource of a kind: `service` for `app`. A name that is not a kind is returned as it is. */
export const getKindNoun = (name: string): string => (isKindName(name) ? resourceKinds[name].noun : name);

/** Returns the kind whose ids have a prefix. */
export const getKindByPrefix = (prefix: string | undefined): KindName | undefined =>
  Object.entries(idPrefixes)
    .filter(([, value]) => value === prefix)
    .map(([name]) => name.replaceAll("_", " "))
    .find(isKindName);
