/**
 * Rows are plain JSON, so that a snapshot is a copy of them. Times are milliseconds since 1970 by the server's clock;
 * responses show them as ISO 8601.
 */
export interface Row {
  id: string;
  createdAt: number;
}

/** A person who can sign in. */
export interface UserRow extends Row {
  email: string;
  name: string | null;
}

/** A workspace, which contains projects. */
export interface WorkspaceRow extends Row {
  name: string;
  /** Every member is an owner. */
  memberIds: string[];
}

/** A token of a workspace for programs. */
export interface ServiceTokenRow extends Row {
  workspaceId: string;
  name: string;
  /** The last four characters of the value; the value itself is never stored. */
  valueHint: string;
  expiresAt: number | null;
}

/** An OAuth client. */
export interface ClientRow extends Row {
  name: string;
  /** Empty for a client that exists only as part of an integration. */
  redirectUris: string[];
  /** Digest of the client secret; null for a public client. */
  secretHash: string | null;
  /** Whether the client is registered again when the state is reset or replaced. Default: false. */
  isEnsured?: boolean;
}

/** The access that a user has given an OAuth client to a workspace. */
export interface IntegrationRow extends Row {
  workspaceId: string;
  clientId: string;
  userId: string;
  scopes: string[];
}

/** An authorization code. Its id is the digest of the code. */
export interface AuthorizationCodeRow extends Row {
  integrationId: string;
  clientId: string;
  userId: string;
  workspaceId: string;
  scopes: string[];
  /** The `redirect_uri` of the authorization request; null when the request had none. */
  redirectUri: string | null;
  /** The S256 challenge; null when the client does not use PKCE. */
  codeChallenge: string | null;
  /** Null once redeemed: the row then lives as long as its grant, so that a replay is recognized. */
  expiresAt: number | null;
  /** The grant that the code was redeemed for; null until then. */
  grantId: string | null;
}

/** The result of a redeemed code: access tokens and a family of refresh tokens. All of them end with this row. */
export interface GrantRow extends Row {
  integrationId: string;
  clientId: string;
  userId: string;
  workspaceId: string;
  scopes: string[];
  /** When the row is no longer needed, not even to recognize a replay of its last token. */
  expiresAt: number;
}

/** A refresh token. Its id is the digest of the token. The row stays after the token is used, to recognize a replay. */
export interface RefreshTokenRow extends Row {
  grantId: string;
  expiresAt: number;
  usedAt: number | null;
  /** Whether the one replay that is allowed has happened. */
  replayed: boolean;
}

/** An access token that was revoked before it expired. Its id is the `jti` of the token. */
export interface RevokedTokenRow extends Row {
  expiresAt: number;
}

/** A project, which contains branches, databases, and apps. */
export interface ProjectRow extends Row {
  workspaceId: string;
  name: string;
  logicalId: string | null;
  defaultRegion: string | null;
  settings: Record<string, Record<string, unknown>>;
  /** Set while the deletion of its default database is pending. */
  deleting?: boolean | undefined;
}

/** A branch of a project. */
export interface BranchRow extends Row {
  projectId: string;
  gitName: string;
  isDefault: boolean;
  role: "production" | "preview";
  updatedAt: number;
}

/** The data that a database starts with. */
export type DatabaseSource =
  | { type: "empty" }
  | { type: "backup"; databaseId: string; backupId: string }
  | { type: "database"; databaseId: string };

/** The status of a database. `recovering` means that a restore is overwriting its data. */
export type DatabaseStatus = "provisioning" | "ready" | "recovering" | "failure";

/** A requested change that has not been made to the real database yet. */
export type DatabaseChange = {
  id: string;
  /** The workspace that requested it. */
  workspaceId: string;
} & (
  | { type: "createConnection"; connection: IntactConnectionRow }
  | { type: "setPassword"; connectionId: string; pass: string }
  | { type: "deleteConnection"; connectionId: string }
  | {
      type: "deleteDatabase";
      /** The project to delete with it; null for none. */
      projectId: string | null;
    }
);

/** The fields of a row that belongs to a project and, unless unassigned, to one of its branches. */
interface BranchScopedFields {
  /** The workspace of the project. A transfer changes it together with the project's. */
  workspaceId: string;
  projectId: string;
  branchId: string | null;
  /** The `gitName` of the branch, which never changes. */
  branchGitName: string | null;
}

/** A database of a project, which may not exist in Postgres yet. */
export interface DatabaseRow extends Row, BranchScopedFields {
  name: string;
  logicalId: string | null;
  region: string;
  isDefault: boolean;
  defaultConnectionId: string | null;
  status: DatabaseStatus;
  source: DatabaseSource;
  /** Whether the database engine has created it: a database in `failure` may have failed to restore or to be created. */
  made: boolean;
  /** Pending changes, oldest first; absent when there are none. */
  changes?: DatabaseChange[] | undefined;
  /** Ids of the databases that are being filled from this one or from one of its backups; absent when there are none. */
  copies?: string[] | undefined;
}

/** A login of a database. */
export interface ConnectionRow extends Row {
  /** The workspace of the database's project. A transfer changes it together with the project's. */
  workspaceId: string;
  databaseId: string;
  name: string;
  kind: "postgres" | "accelerate";
  user: string;
  /** It is null when what is stored was altered, so that it cannot be decrypted, until the connection is rotated. */
  pass: string | null;
}

/** A connection whose password is known. */
export interface IntactConnectionRow extends ConnectionRow {
  pass: string;
}

/** A backup of a database. */
export interface BackupRow extends Row {
  databaseId: string;
  backupType: "full" | "incremental" | "differential";
  status: "running" | "completed" | "failed" | "unknown";
  /** Bytes. */
  size: number | null;
}

/** An app is a service: the operations of both show the same rows. */
export interface AppRow extends Row, BranchScopedFields {
  name: string;
  logicalId: string | null;
  region: string;
  endpointDomain: string;
  /** The promoted deployment. */
  latestDeploymentId: string | null;
  /** Custom domains. The control surface attaches them; they follow the promoted deployment. */
  domains: { name: string; deploymentId: string | null }[];
}

/** The status of a deployment. */
export type DeploymentStatus =
  | "created"
  | "uploaded"
  | "provisioning"
  | "running"
  | "failed"
  | "stopping"
  | "stopped";

/** A deployment of an app. */
export interface DeploymentRow extends Row {
  appId: string;
  foundryVersionId: string;
  status: DeploymentStatus;
  previewDomain: string | null;
  portMapping: { http?: number } | null;
  envVars: Record<string, string> | null;
  /** Digest of the secret part of the upload URL; null once used, or when there is no URL. */
  uploadKeyHash: string | null;
}

/** The request of an agent that its sponsor must approve, and the decision. */
export interface ApprovalRow extends Row {
  agentId: string;
  sponsorId: string;
  workspaceId: string;
  operationId: string;
  projectId: string | null;
  /** Method and path of the request, shown to the sponsor. */
  request: string;
  /** Digest of the operation, canonical ids, query and body. */
  requestDigest: string;
  /** Fields of the body that the sponsor must know, by path: ids, what the approval guards, and the workspace of an access token. */
  details?: Readonly<Record<string, string | null>> | undefined;
  status: "pending" | "approved" | "approved_window" | "denied" | "expired" | "consumed";
  expiresAt: number;
  windowExpiresAt: number | null;
  decidedAt: number | null;
}
