import type { CollectionName, Rows } from "../../src/store/keys.js";
import type { StoreState } from "../../src/store/memory-store.js";
import type { Store } from "../../src/store/store.js";

/** A store that the conformance suite tests. */
export interface StoreUnderTest {
  /** Runs one synchronous step, as a request does, and commits its changes. */
  run<T>(step: (store: Store) => T): Promise<T>;
  /** Returns the rows of all collections with their sequence numbers. */
  state(): Promise<StoreState>;
  close(): Promise<void>;
}

/** Opens a store with the rows of a state; an empty one without it. */
export type OpenStore = (state?: StoreState) => Promise<StoreUnderTest>;

/** Returns a complete row of each collection. `fields` overrides what a test is about. */
export const sampleRows: {
  [Name in CollectionName]: (id: string, fields?: Partial<Rows[Name]>) => Rows[Name];
} = {
  users: (id, fields) => ({ id, createdAt: 1, email: "ada@example.com", name: null, ...fields }),
  workspaces: (id, fields) => ({ id, createdAt: 1, name: "workspace", memberIds: [], ...fields }),
  serviceTokens: (id, fields) => ({
    ...{ id, createdAt: 1, workspaceId: "w", name: "token", valueHint: "abcd", expiresAt: null },
    ...fields,
  }),
  clients: (id, fields) => ({
    id,
    createdAt: 1,
    name: "client",
    redirectUris: [],
    secretHash: null,
    ...fields,
  }),
  integrations: (id, fields) => ({
    ...{ id, createdAt: 1, workspaceId: "w", clientId: "c", userId: "u", scopes: [] },
    ...fields,
  }),
  authorizationCodes: (id, fields) => ({
    ...{ id, createdAt: 1, integrationId: "i", clientId: "c", userId: "u", workspaceId: "w", scopes: [] },
    ...{ redirectUri: null, codeChallenge: null, expiresAt: 100, grantId: null },
    ...fields,
  }),
  grants: (id, fields) => ({
    ...{ id, createdAt: 1, integrationId: "i", clientId: "c", userId: "u", workspaceId: "w", scopes: [] },
    ...{ expiresAt: 100 },
    ...fields,
  }),
  refreshTokens: (id, fields) => ({
    ...{ id, createdAt: 1, grantId: "g", expiresAt: 100, usedAt: null, replayed: false },
    ...fields,
  }),
  revokedTokens: (id, fields) => ({ id, createdAt: 1, expiresAt: 100, ...fields }),
  projects: (id, fields) => ({
    ...{
      id,
      createdAt: 1,
      workspaceId: "w",
      name: "project",
      logicalId: null,
      defaultRegion: null,
      settings: {},
    },
    ...fields,
  }),
  branches: (id, fields) => ({
    ...{ id, createdAt: 1, updatedAt: 1, projectId: "p", gitName: "main", isDefault: false, role: "preview" },
    ...fields,
  }),
  databases: (id, fields) => ({
    ...{
      id,
      createdAt: 1,
      workspaceId: "w",
      projectId: "p",
      branchId: "b",
      branchGitName: "main",
      name: "db",
    },
    ...{ logicalId: null, region: "us-east-1", isDefault: false, defaultConnectionId: null, status: "ready" },
    ...{ source: { type: "empty" }, made: true },
    ...fields,
  }),
  connections: (id, fields) => ({
    ...{ id, createdAt: 1, workspaceId: "w", databaseId: "d", name: "connection", kind: "postgres" },
    ...{ user: "role", pass: "secret" },
    ...fields,
  }),
  backups: (id, fields) => ({
    ...{ id, createdAt: 1, databaseId: "d", backupType: "full", status: "completed", size: null },
    ...fields,
  }),
  apps: (id, fields) => ({
    ...{
      id,
      createdAt: 1,
      workspaceId: "w",
      projectId: "p",
      branchId: "b",
      branchGitName: "main",
      name: "app",
    },
    ...{ logicalId: null, region: "us-east-1", endpointDomain: "app.example", latestDeploymentId: null },
    ...{ domains: [] },
    ...fields,
  }),
  deployments: (id, fields) => ({
    ...{ id, createdAt: 1, appId: "a", foundryVersionId: "v", status: "created", previewDomain: null },
    ...{ portMapping: null, envVars: null, uploadKeyHash: null },
    ...fields,
  }),
  approvals: (id, fields) => ({
    ...{
      id,
      createdAt: 1,
      agentId: "agent",
      sponsorId: "u",
      workspaceId: "w",
      operationId: "projects.delete",
    },
    ...{ projectId: null, request: "DELETE /v1/projects/p", requestDigest: "digest", status: "pending" },
    ...{ expiresAt: 100, windowExpiresAt: null, decidedAt: null },
    ...fields,
  }),
};

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
