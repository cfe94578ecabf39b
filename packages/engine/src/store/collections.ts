import type { FieldPath, Key, KeyField } from "./keys.js";
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
  /** The fields with secrets that responses or the server need in clear. A storage adapter that others can read encrypts their values. */
  readonly secrets?: readonly string[];
  /** The secrets that are null when they cannot be decrypted. Otherwise, the row cannot be read. */
  readonly nullableSecrets?: readonly string[];
}

interface CollectionDeclaration<T> extends Table<KeyField<T>> {
  /** The resource type that has these ids. Default: none. */
  readonly resourceType?: string;
  readonly expires?: T extends { expiresAt: number | null } ? "expiresAt" : never;
  readonly secrets?: readonly FieldPath<T>[];
  readonly nullableSecrets?: readonly FieldPath<T>[];
}

/** @param sample a row, for tests. A field that is an array in it is an array in Postgres too. */
const declareCollection =
  <T extends rows.Row>(sample: T) =>
  <const D extends CollectionDeclaration<T>>(declaration: D) => ({ sample, ...declaration });

const sampleRow = { id: "1", createdAt: 1 };
const sampleProjectFields = { workspaceId: "w", projectId: "p", branchId: "b", branchGitName: "main" };
const sampleLoginFields = { integrationId: "i", clientId: "c", userId: "u", workspaceId: "w", scopes: [] };

/** Every collection of the API. Its name, row type, keys, and table in Postgres are declared only here. */
export const collections = {
  users: declareCollection<rows.UserRow>({ ...sampleRow, email: "ada@example.com", name: null })({
    resourceType: "user",
    keys: [],
    indexes: [],
  }),
  workspaces: declareCollection<rows.WorkspaceRow>({ ...sampleRow, name: "workspace", memberIds: [] })({
    resourceType: "workspace",
    keys: [{ by: ["id"] }, { by: ["memberIds"] }],
    indexes: [["memberIds"]],
  }),
  serviceTokens: declareCollection<rows.ServiceTokenRow>({
    ...sampleRow,
    workspaceId: "w",
    name: "token",
    valueHint: "abcd",
    expiresAt: null,
  })({
    resourceType: "service_token",
    keys: [{ by: ["workspaceId"] }],
    indexes: [["workspaceId"]],
  }),
  clients: declareCollection<rows.ClientRow>({
    ...sampleRow,
    name: "client",
    redirectUris: [],
    secretHash: null,
  })({
    resourceType: "client",
    keys: [],
    indexes: [],
  }),
  integrations: declareCollection<rows.IntegrationRow>({
    ...sampleRow,
    workspaceId: "w",
    clientId: "c",
    userId: "u",
    scopes: [],
  })({
    resourceType: "integration",
    keys: [{ by: ["workspaceId"], and: ["clientId"] }],
    indexes: [["workspaceId"], ["workspaceId", "clientId"]],
  }),
  authorizationCodes: declareCollection<rows.AuthorizationCodeRow>({
    ...sampleRow,
    ...sampleLoginFields,
    redirectUri: null,
    codeChallenge: null,
    expiresAt: 100,
    grantId: null,
  })({
    keys: [{ by: ["grantId"] }],
    indexes: [["grantId"]],
    expires: "expiresAt",
  }),
  grants: declareCollection<rows.GrantRow>({ ...sampleRow, ...sampleLoginFields, expiresAt: 100 })({
    keys: [{ by: ["integrationId"] }],
    indexes: [["integrationId"]],
    expires: "expiresAt",
  }),
  refreshTokens: declareCollection<rows.RefreshTokenRow>({
    ...sampleRow,
    grantId: "g",
    expiresAt: 100,
    usedAt: null,
    replayed: false,
  })({
    keys: [{ by: ["grantId"] }],
    indexes: [["grantId"]],
    expires: "expiresAt",
  }),
  revokedTokens: declareCollection<rows.RevokedTokenRow>({ ...sampleRow, expiresAt: 100 })({
    keys: [],
    indexes: [],
    expires: "expiresAt",
  }),
  projects: declareCollection<rows.ProjectRow>({
    ...sampleRow,
    workspaceId: "w",
    name: "project",
    logicalId: null,
    defaultRegion: null,
    settings: {},
  })({
    resourceType: "project",
    keys: [{ by: ["workspaceId"], and: ["logicalId"] }],
    indexes: [["workspaceId"]],
    unique: [["workspaceId", "logicalId"]],
  }),
  branches: declareCollection<rows.BranchRow>({
    ...sampleRow,
    updatedAt: 1,
    projectId: "p",
    gitName: "main",
    isDefault: false,
    role: "preview",
  })({
    resourceType: "branch",
    keys: [{ by: ["projectId"], and: ["gitName", "isDefault"] }],
    indexes: [["projectId"], ["projectId", "isDefault"]],
    unique: [["projectId", "gitName"]],
  }),
  databases: declareCollection<rows.DatabaseRow>({
    ...sampleRow,
    ...sampleProjectFields,
    name: "db",
    logicalId: null,
    region: "us-east-1",
    isDefault: false,
    defaultConnectionId: null,
    status: "ready",
    source: { type: "empty" },
    made: true,
  })({
    resourceType: "database",
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
    secrets: ["changes.pass", "changes.connection.pass"],
  }),
  connections: declareCollection<rows.ConnectionRow>({
    ...sampleRow,
    workspaceId: "w",
    databaseId: "d",
    name: "connection",
    kind: "postgres",
    user: "role",
    pass: "secret",
  })({
    resourceType: "connection",
    keys: [{ by: ["workspaceId"], and: ["databaseId"] }, { by: ["databaseId"] }],
    indexes: [["workspaceId"], ["databaseId"]],
    secrets: ["pass"],
    nullableSecrets: ["pass"],
  }),
  backups: declareCollection<rows.BackupRow>({
    ...sampleRow,
    databaseId: "d",
    backupType: "full",
    status: "completed",
    size: null,
  })({
    resourceType: "backup",
    keys: [{ by: ["databaseId"] }],
    indexes: [["databaseId"]],
  }),
  apps: declareCollection<rows.AppRow>({
    ...sampleRow,
    ...sampleProjectFields,
    name: "app",
    logicalId: null,
    region: "us-east-1",
    endpointDomain: "app.example",
    latestDeploymentId: null,
    domains: [],
  })({
    resourceType: "app",
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
  deployments: declareCollection<rows.DeploymentRow>({
    ...sampleRow,
    appId: "a",
    foundryVersionId: "v",
    status: "created",
    previewDomain: null,
    portMapping: null,
    envVars: null,
    uploadKeyHash: null,
  })({
    resourceType: "deployment",
    keys: [{ by: ["appId"], and: ["status"] }],
    indexes: [["appId"], ["appId", "status"]],
    secrets: ["envVars"],
  }),
  approvals: declareCollection<rows.ApprovalRow>({
    ...sampleRow,
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
    resourceType: "approval",
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

/** Name of a collection of the API: `databases`. */
export type CollectionName = keyof typeof collections;

/** The row type of each collection. */
export type Rows = { [Name in CollectionName]: (typeof collections)[Name]["sample"] };

/** Collections whose rows have an `expiresAt`, by which expired rows are found. */
export type ExpiringName = {
  [Name in CollectionName]: (typeof collections)[Name] extends { expires: "expiresAt" } ? Name : never;
}[CollectionName];

// The names of the properties are the names of the collections.
/** The names of all collections. */
export const collectionNames = Object.keys(collections) as CollectionName[];

type ResourceTypeOf<Declared> = Declared extends { resourceType: infer ResourceType } ? ResourceType : never;

/** The resource types that have a collection. */
type StoredResourceType = ResourceTypeOf<(typeof collections)[CollectionName]>;

const collectionNameByResourceType = new Map(
  collectionNames.flatMap((name): [string, CollectionName][] => {
    const { resourceType }: Table & { readonly resourceType?: string } = collections[name];
    return resourceType === undefined ? [] : [[resourceType, name]];
  }),
);

/** Returns the collection of a resource type. */
export const getCollectionName = (resourceType: StoredResourceType): CollectionName => {
  const name = collectionNameByResourceType.get(resourceType);
  if (name === undefined) throw new Error(`No collection has the rows of the resource type ${resourceType}`);
  return name;
};
