import type { Key, KeyField } from "./keys.js";
import type * as rows from "./rows.js";

/** How a table finds its rows, besides their ids. */
export interface Table<Field extends string = string> {
  /**
   * A lookup by another combination of fields does not compile. The memory store builds an index when a combination is first used.
   * Tables in Postgres have their indexes from the start.
   */
  readonly keys: readonly Key<Field>[];
  /** The fields of each index in Postgres, which ends with the sequence number. */
  readonly indexes: readonly (readonly Field[])[];
  /** Combinations of fields that only one row has, unless one of the fields is null. The commit in Postgres compares them. */
  readonly unique?: readonly (readonly Field[])[];
  /** The field with a time by which rows are found. */
  readonly expires?: "expiresAt" | "dueAt";
}

interface Declaration<T> extends Table<KeyField<T>> {
  /** The kind of resource that has these ids. Default: none. */
  readonly kind?: string;
  readonly expires?: T extends { expiresAt: number | null } ? "expiresAt" : never;
}

/** @param sample a row, for tests. A field that is an array in it is an array in Postgres too. */
const rowsLike =
  <T extends rows.Row>(sample: T) =>
  <const D extends Declaration<T>>(declaration: D) => ({ sample, ...declaration });

const first = { id: "1", createdAt: 1 };
const inProject = { workspaceId: "w", projectId: "p", branchId: "b", branchGitName: "main" };
const login = { integrationId: "i", clientId: "c", userId: "u", workspaceId: "w", scopes: [] };

/** Every collection of the API. Its name, row type, keys, and table in Postgres are declared only here. */
export const collections = {
  users: rowsLike<rows.UserRow>({ ...first, email: "ada@example.com", name: null })({
    kind: "user",
    keys: [],
    indexes: [],
  }),
  workspaces: rowsLike<rows.WorkspaceRow>({ ...first, name: "workspace", memberIds: [] })({
    kind: "workspace",
    keys: [{ by: ["id"] }, { by: ["memberIds"] }],
    indexes: [["memberIds"]],
  }),
  serviceTokens: rowsLike<rows.ServiceTokenRow>({
    ...first,
    workspaceId: "w",
    name: "token",
    valueHint: "abcd",
    expiresAt: null,
  })({
    kind: "service_token",
    keys: [{ by: ["workspaceId"] }],
    indexes: [["workspaceId"]],
  }),
  clients: rowsLike<rows.ClientRow>({ ...first, name: "client", redirectUris: [], secretHash: null })({
    kind: "client",
    keys: [],
    indexes: [],
  }),
  integrations: rowsLike<rows.IntegrationRow>({
    ...first,
    workspaceId: "w",
    clientId: "c",
    userId: "u",
    scopes: [],
  })({
    kind: "integration",
    keys: [{ by: ["workspaceId"], and: ["clientId"] }],
    indexes: [["workspaceId"], ["workspaceId", "clientId"]],
  }),
  authorizationCodes: rowsLike<rows.AuthorizationCodeRow>({
    ...first,
    ...login,
    redirectUri: null,
    codeChallenge: null,
    expiresAt: 100,
    grantId: null,
  })({
    keys: [{ by: ["grantId"] }],
    indexes: [["grantId"]],
    expires: "expiresAt",
  }),
  grants: rowsLike<rows.GrantRow>({ ...first, ...login, expiresAt: 100 })({
    keys: [{ by: ["integrationId"] }],
    indexes: [["integrationId"]],
    expires: "expiresAt",
  }),
  refreshTokens: rowsLike<rows.RefreshTokenRow>({
    ...first,
    grantId: "g",
    expiresAt: 100,
    usedAt: null,
    replayed: false,
  })({
    keys: [{ by: ["grantId"] }],
    indexes: [["grantId"]],
    expires: "expiresAt",
  }),
  revokedTokens: rowsLike<rows.RevokedTokenRow>({ ...first, expiresAt: 100 })({
    keys: [],
    indexes: [],
    expires: "expiresAt",
  }),
  projects: rowsLike<rows.ProjectRow>({
    ...first,
    workspaceId: "w",
    name: "project",
    logicalId: null,
    defaultRegion: null,
    settings: {},
  })({
    kind: "project",
    keys: [{ by: ["workspaceId"], and: ["logicalId"] }],
    indexes: [["workspaceId"]],
    unique: [["workspaceId", "logicalId"]],
  }),
  branches: rowsLike<rows.BranchRow>({
    ...first,
    updatedAt: 1,
    projectId: "p",
    gitName: "main",
    isDefault: false,
    role: "preview",
  })({
    kind: "branch",
    keys: [{ by: ["projectId"], and: ["gitName", "isDefault"] }],
    indexes: [["projectId"], ["projectId", "isDefault"]],
    unique: [["projectId", "gitName"]],
  }),
  databases: rowsLike<rows.DatabaseRow>({
    ...first,
    ...inProject,
    name: "db",
    logicalId: null,
    region: "us-east-1",
    isDefault: false,
    defaultConnectionId: null,
    status: "ready",
    source: { type: "empty" },
    made: true,
  })({
    kind: "database",
    keys: [
      { by: ["workspaceId"], and: ["projectId", "branchId", "branchGitName", "logicalId"] },
      { by: ["projectId"], and: ["isDefault"] },
      { by: ["branchId"], and: ["logicalId"] },
    ],
    indexes: [
      ["workspaceId"],
      ["workspaceId", "branchGitName"],
      ["workspaceId", "logicalId"],
      ["projectId"],
      ["projectId", "isDefault"],
      ["branchId"],
    ],
    unique: [["branchId", "logicalId"]],
  }),
  connections: rowsLike<rows.ConnectionRow>({
    ...first,
    workspaceId: "w",
    databaseId: "d",
    name: "connection",
    kind: "postgres",
    user: "role",
    pass: "secret",
  })({
    kind: "connection",
    keys: [{ by: ["workspaceId"], and: ["databaseId"] }, { by: ["databaseId"] }],
    indexes: [["workspaceId"], ["databaseId"]],
  }),
  backups: rowsLike<rows.BackupRow>({
    ...first,
    databaseId: "d",
    backupType: "full",
    status: "completed",
    size: null,
  })({
    kind: "backup",
    keys: [{ by: ["databaseId"] }],
    indexes: [["databaseId"]],
  }),
  apps: rowsLike<rows.AppRow>({
    ...first,
    ...inProject,
    name: "app",
    logicalId: null,
    region: "us-east-1",
    endpointDomain: "app.example",
    latestDeploymentId: null,
    domains: [],
  })({
    kind: "app",
    keys: [
      { by: ["workspaceId"], and: ["projectId", "branchId", "branchGitName", "logicalId"] },
      { by: ["projectId"], and: ["branchId", "name", "logicalId"] },
      { by: ["branchId"] },
      { by: ["domains.name"] },
    ],
    indexes: [
      ["workspaceId"],
      ["workspaceId", "branchGitName"],
      ["workspaceId", "logicalId"],
      ["projectId"],
      ["projectId", "branchId"],
      ["projectId", "name"],
      ["branchId"],
      ["domains.name"],
    ],
    unique: [
      ["projectId", "branchId", "name"],
      ["projectId", "branchId", "logicalId"],
    ],
  }),
  deployments: rowsLike<rows.DeploymentRow>({
    ...first,
    appId: "a",
    foundryVersionId: "v",
    status: "created",
    previewDomain: null,
    portMapping: null,
    envVars: null,
    uploadKeyHash: null,
  })({
    kind: "deployment",
    keys: [{ by: ["appId"], and: ["status"] }],
    indexes: [["appId"], ["appId", "status"]],
  }),
  approvals: rowsLike<rows.ApprovalRow>({
    ...first,
    agentId: "agent",
    sponsorId: "u",
    workspaceId: "w",
    operationId: "projects.delete",
    projectId: null,
    request: "DELETE /v1/projects/p",
    requestDigest: "digest",
    status: "pending",
    expiresAt: 100,
    windowExpiresAt: null,
    decidedAt: null,
  })({
    kind: "approval",
    keys: [
      { by: ["workspaceId", "agentId", "requestDigest"], and: ["status"] },
      { by: ["workspaceId", "agentId", "operationId", "projectId"], and: ["status"] },
      { by: ["projectId"], and: ["status"] },
    ],
    indexes: [
      ["workspaceId", "agentId", "requestDigest", "status"],
      ["workspaceId", "agentId", "operationId", "projectId", "status"],
      ["projectId", "status"],
    ],
    expires: "expiresAt",
  }),
};

export type CollectionName = keyof typeof collections;

/** The row type of each collection. */
export type Rows = { [Name in CollectionName]: (typeof collections)[Name]["sample"] };

/** Collections whose rows have an `expiresAt`, by which a sweep finds them. */
export type ExpiringName = {
  [Name in CollectionName]: (typeof collections)[Name] extends { expires: "expiresAt" } ? Name : never;
}[CollectionName];

// The names of the properties are the names of the collections.
export const collectionNames = Object.keys(collections) as CollectionName[];

type KindOf<Declared> = Declared extends { kind: infer Kind } ? Kind : never;

/** The kinds of resources that have a collection. */
type StoredKind = KindOf<(typeof collections)[CollectionName]>;

const namesByKind = new Map(
  collectionNames.flatMap((name): [string, CollectionName][] => {
    const { kind }: Table & { readonly kind?: string } = collections[name];
    return kind === undefined ? [] : [[kind, name]];
  }),
);

/** Returns the collection of a kind of resource. */
export const collectionOf = (kind: StoredKind): CollectionName => {
  const name = namesByKind.get(kind);
  if (name === undefined) throw new Error(`No collection has the rows of the kind ${kind}`);
  return name;
};
