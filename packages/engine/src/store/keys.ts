import type * as rows from "./rows.js";

/** The row type of each collection. */
export interface Rows {
  users: rows.UserRow;
  workspaces: rows.WorkspaceRow;
  serviceTokens: rows.ServiceTokenRow;
  clients: rows.ClientRow;
  integrations: rows.IntegrationRow;
  authorizationCodes: rows.AuthorizationCodeRow;
  grants: rows.GrantRow;
  refreshTokens: rows.RefreshTokenRow;
  revokedTokens: rows.RevokedTokenRow;
  projects: rows.ProjectRow;
  branches: rows.BranchRow;
  databases: rows.DatabaseRow;
  connections: rows.ConnectionRow;
  backups: rows.BackupRow;
  apps: rows.AppRow;
  deployments: rows.DeploymentRow;
  approvals: rows.ApprovalRow;
}

export type CollectionName = keyof Rows;

/** The collection of each kind of resource that has an id. */
export const collectionOf = {
  user: "users",
  workspace: "workspaces",
  service_token: "serviceTokens",
  client: "clients",
  integration: "integrations",
  project: "projects",
  branch: "branches",
  database: "databases",
  connection: "connections",
  backup: "backups",
  app: "apps",
  deployment: "deployments",
  approval: "approvals",
} as const satisfies Readonly<Record<string, CollectionName>>;

/** Collections whose rows have an `expiresAt`, by which a sweep finds them. */
export const expiringNames = [
  "authorizationCodes",
  "grants",
  "refreshTokens",
  "revokedTokens",
  "approvals",
] as const satisfies readonly CollectionName[];

export type ExpiringName = (typeof expiringNames)[number];

/** A value that a key compares for equality. */
export type KeyValue = string | number | boolean | null;

/**
 * A field that a key may use: one with a plain value, an array of plain values (`memberIds`), or a field of the objects in
 * an array (`domains.name`). A row with an array is found by each of its elements.
 */
type KeyField<T> = {
  [F in keyof T & string]: T[F] extends KeyValue
    ? F
    : T[F] extends readonly KeyValue[]
      ? F
      : T[F] extends readonly (infer Item)[]
        ? `${F}.${keyof Item & string}`
        : never;
}[keyof T & string];

type FieldValue<T, F> = F extends keyof T
  ? T[F] extends readonly (infer Item)[]
    ? Item
    : T[F]
  : F extends `${infer Outer}.${infer Inner}`
    ? Outer extends keyof T
      ? T[Outer] extends readonly (infer Item)[]
        ? Inner extends keyof Item
          ? Item[Inner]
          : never
        : never
      : never
    : never;

/** A combination of fields by which rows are found: all fields in `by`, and any of those in `and`. */
export interface Key<F extends string = string> {
  readonly by: readonly F[];
  readonly and?: readonly F[];
}

/**
 * Every key by which rows are found, besides their ids. A lookup by another combination of fields does not compile. The
 * memory store builds an index when a combination is first used. Tables in Postgres have their indexes from the start.
 */
export const keys = {
  users: [],
  workspaces: [{ by: ["id"] }, { by: ["memberIds"] }],
  serviceTokens: [{ by: ["workspaceId"] }],
  clients: [],
  integrations: [{ by: ["workspaceId"], and: ["clientId"] }],
  authorizationCodes: [{ by: ["grantId"] }],
  grants: [{ by: ["integrationId"] }],
  refreshTokens: [{ by: ["grantId"] }],
  revokedTokens: [],
  projects: [{ by: ["workspaceId"], and: ["logicalId"] }],
  branches: [{ by: ["projectId"], and: ["gitName", "isDefault"] }],
  databases: [
    { by: ["workspaceId"], and: ["projectId", "branchId", "branchGitName", "logicalId"] },
    { by: ["projectId"], and: ["isDefault"] },
    { by: ["branchId"], and: ["logicalId"] },
  ],
  connections: [{ by: ["workspaceId"], and: ["databaseId"] }, { by: ["databaseId"] }],
  backups: [{ by: ["databaseId"] }],
  apps: [
    { by: ["workspaceId"], and: ["projectId", "branchId", "branchGitName", "logicalId"] },
    { by: ["projectId"], and: ["branchId", "name", "logicalId"] },
    { by: ["branchId"] },
    { by: ["domains.name"] },
  ],
  deployments: [{ by: ["appId"], and: ["status"] }],
  approvals: [
    { by: ["workspaceId", "agentId", "requestDigest"], and: ["status"] },
    { by: ["workspaceId", "agentId", "operationId", "projectId"], and: ["status"] },
    { by: ["projectId"], and: ["status"] },
  ],
} as const satisfies { [Name in CollectionName]: readonly Key<KeyField<Rows[Name]>>[] };

/** A value, or several of which any may match. */
type Match<V> = V | readonly V[];

type By<K> = K extends { readonly by: readonly (infer F extends string)[] } ? F : never;
type And<K> = K extends { readonly and: readonly (infer F extends string)[] } ? F : never;

/** The lookups that one key allows. `Fields` are the fields of all keys, which keeps a lookup from combining two keys. */
type LookupBy<T, K, Fields extends string> = K extends Key
  ? { readonly [F in By<K>]: Match<FieldValue<T, F>> } & {
      readonly [F in And<K>]?: Match<FieldValue<T, F>> | undefined;
    } & { readonly [F in Exclude<Fields, By<K> | And<K>>]?: undefined }
  : never;

type KeysOf<Name extends CollectionName> = (typeof keys)[Name][number];

/** Matches every row. */
type Everything = Readonly<Record<string, never>>;

/**
 * What a lookup in a collection compares: fields that a key declares, each with the value that it equals or an array of
 * such values. A field whose value is undefined is not compared. `{}` matches every row.
 */
export type Where<Name extends CollectionName> =
  | Everything
  | LookupBy<Rows[Name], KeysOf<Name>, By<KeysOf<Name>> | And<KeysOf<Name>>>;
