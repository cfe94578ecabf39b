import { idPrefixes } from "./generated/id-prefixes.js";

/** A kind of resource: how the service lists and reads it, and what people call it. */
export interface Kind {
  readonly noun: string;
  readonly plural: string;
  /** Path of the list. */
  readonly list: string;
  /** The kinds that the list can be limited to, the one to ask for first. */
  readonly parents?: readonly Parent[];
  /** Path of one resource, whose id is `{id}`. Absent if only the list contains it. */
  readonly get?: string;
  /** Where the id is in an item of the list. Default: `id`. */
  readonly id?: readonly string[];
  /** Kinds of the resources in it. */
  readonly contents?: readonly KindName[];
}

export interface Parent {
  readonly kind: KindName;
  /** Parameter of the list with the id of the parent. */
  readonly parameter: string;
}

const inProject: Parent = { kind: "project", parameter: "projectId" };
const onBranch: Parent = { kind: "branch", parameter: "branchId" };
const inDatabase: Parent = { kind: "database", parameter: "databaseId" };
const inWorkspace: Parent = { kind: "workspace", parameter: "workspaceId" };

const names = [
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
export type KindName = (typeof names)[number];

export const kinds: Readonly<Record<KindName, Kind>> = {
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
    parents: [inProject],
    get: "/v1/branches/{id}",
    contents: ["database", "app"],
  },
  database: {
    noun: "database",
    plural: "databases",
    list: "/v1/databases",
    parents: [inProject, onBranch],
    get: "/v1/databases/{id}",
    contents: ["connection", "backup"],
  },
  connection: {
    noun: "connection",
    plural: "connections",
    list: "/v1/connections",
    parents: [inDatabase],
    get: "/v1/connections/{id}",
  },
  backup: {
    noun: "backup",
    plural: "backups",
    list: "/v1/databases/{databaseId}/backups",
    parents: [inDatabase],
  },
  app: {
    noun: "service",
    plural: "services",
    list: "/v1/services",
    parents: [inProject, onBranch],
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
    parents: [inWorkspace],
  },
  integration: {
    noun: "integration",
    plural: "integrations",
    list: "/v1/workspaces/{workspaceId}/integrations",
    parents: [inWorkspace],
    get: "/v1/integrations/{id}",
  },
  client: {
    noun: "integration",
    plural: "integrations",
    list: "/v1/workspaces/{workspaceId}/integrations",
    parents: [inWorkspace],
    id: ["client", "id"],
  },
};

export const isKindName = (name: string | undefined): name is KindName =>
  names.some((kindName) => kindName === name);

/** Returns the kind whose ids have a prefix. */
export const kindOfPrefix = (prefix: string | undefined): KindName | undefined =>
  Object.entries(idPrefixes)
    .filter(([, value]) => value === prefix)
    .map(([name]) => name.replaceAll("_", " "))
    .find(isKindName);
