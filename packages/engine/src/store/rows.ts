/**
 * What the reference server keeps: plain JSON rows, so that a snapshot is a copy and a state file is a print.
 * Times are milliseconds of the server's clock since 1970; answers turn them into ISO 8601.
 */
export interface Row {
  id: string;
  createdAt: number;
}

export interface UserRow extends Row {
  email: string;
  name: string | null;
}

export interface WorkspaceRow extends Row {
  name: string;
  /** Every member is an owner (§ Authentication). */
  memberIds: string[];
}

export interface ServiceTokenRow extends Row {
  workspaceId: string;
  name: string;
  /** The last four characters of the value; the value itself is never kept. */
  valueHint: string;
  expiresAt: number | null;
}

/** An OAuth client. */
export interface ClientRow extends Row {
  name: string;
  /** Where it may be sent back to; none for a client that only integrations name. */
  redirectUris: string[];
  /** Digest of its secret; null for a public client. */
  secretHash: string | null;
}

export interface IntegrationRow extends Row {
  workspaceId: string;
  clientId: string;
  userId: string;
  scopes: string[];
}

/** An authorization code; its id is its digest. */
export interface AuthorizationCodeRow extends Row {
  integrationId: string;
  clientId: string;
  userId: string;
  workspaceId: string;
  scopes: string[];
  /** As the authorization request gave it; null when it gave none. */
  redirectUri: string | null;
  /** S256; null when the client began without PKCE. */
  codeChallenge: string | null;
  expiresAt: number;
  /** The grant that it was redeemed for; null until then. */
  grantId: string | null;
}

/** What one redeemed code gave: access tokens, and the family of its refresh tokens. All end with this row. */
export interface GrantRow extends Row {
  integrationId: string;
  clientId: string;
  userId: string;
  workspaceId: string;
  scopes: string[];
}

/** A refresh token; its id is its digest. It is kept once used, to know it when it is replayed. */
export interface RefreshTokenRow extends Row {
  grantId: string;
  expiresAt: number;
  usedAt: number | null;
  /** Whether its one replay has been answered. */
  replayed: boolean;
}

/** An access token that was revoked before its time; its id is the token's `jti`. */
export interface RevokedTokenRow extends Row {
  expiresAt: number;
}

export interface ProjectRow extends Row {
  workspaceId: string;
  name: string;
  logicalId: string | null;
  defaultRegion: string | null;
  settings: Record<string, Record<string, unknown>>;
}

export interface BranchRow extends Row {
  projectId: string;
  gitName: string;
  isDefault: boolean;
  role: "production" | "preview";
  updatedAt: number;
}

export type DatabaseSource =
  | { type: "empty" }
  | { type: "backup"; databaseId: string; backupId: string }
  | { type: "database"; databaseId: string };

export type DatabaseStatus = "provisioning" | "ready" | "recovering" | "failure";

export interface DatabaseRow extends Row {
  projectId: string;
  branchId: string | null;
  name: string;
  logicalId: string | null;
  region: string;
  isDefault: boolean;
  defaultConnectionId: string | null;
  status: DatabaseStatus;
  source: DatabaseSource;
  /** Whether the database engine has made it: a `failure` may come from a restore, or from never having been made. */
  made: boolean;
}

export interface ConnectionRow extends Row {
  databaseId: string;
  name: string;
  kind: "postgres" | "accelerate";
  user: string;
  pass: string;
}

export interface BackupRow extends Row {
  databaseId: string;
  backupType: "full" | "incremental" | "differential";
  status: "running" | "completed" | "failed" | "unknown";
  /** Bytes. */
  size: number | null;
}

/** An app IS a service: both collections show the same rows. */
export interface AppRow extends Row {
  projectId: string;
  branchId: string | null;
  name: string;
  logicalId: string | null;
  region: string;
  endpointDomain: string;
  /** The promoted deployment. */
  latestDeploymentId: string | null;
  /** Custom domains, attached by the control surface; they follow the promoted deployment. */
  domains: { name: string; deploymentId: string | null }[];
}

export type DeploymentStatus =
  "created" | "uploaded" | "provisioning" | "running" | "failed" | "stopping" | "stopped";

export interface DeploymentRow extends Row {
  appId: string;
  foundryVersionId: string;
  status: DeploymentStatus;
  previewDomain: string | null;
  portMapping: { http?: number } | null;
  envVars: Record<string, string> | null;
  /** Digest of the unguessable part of the upload URL; null once used or when there is none. */
  uploadKeyHash: string | null;
}

export interface ApprovalRow extends Row {
  agentId: string;
  sponsorId: string;
  workspaceId: string;
  operationId: string;
  projectId: string | null;
  /** Method and path of the request, for the one who decides. */
  request: string;
  /** Digest of operation, canonical ids, query and body (§ Agents and approvals). */
  requestDigest: string;
  status: "pending" | "approved" | "approved_window" | "denied" | "expired" | "consumed";
  expiresAt: number;
  windowExpiresAt: number | null;
  decidedAt: number | null;
}
