import type { CollectionState } from "./memory-collection.js";
import type { StoreState } from "./memory-store.js";
import type { AppRow, AuthorizationCodeRow, ConnectionRow, DatabaseRow, GrantRow, Row } from "./rows.js";

type BranchMemberV1<T extends Row> = CollectionState<Omit<T, "workspaceId" | "branchGitName"> & Row>;

/** The rows of a snapshot of version 1, which lack some of the current fields. */
export type StoreStateV1 = Omit<
  StoreState,
  "databases" | "connections" | "apps" | "grants" | "authorizationCodes"
> & {
  databases: BranchMemberV1<DatabaseRow>;
  connections: CollectionState<Omit<ConnectionRow, "workspaceId">>;
  apps: BranchMemberV1<AppRow>;
  grants: CollectionState<Omit<GrantRow, "expiresAt">>;
  authorizationCodes: CollectionState<AuthorizationCodeRow & { expiresAt: number }>;
};

const hour = 3_600_000;
const day = 24 * hour;

/** Adds the fields that the rows of version 1 lack. The result shares all other rows with `state`. */
export const upgradeState = (state: StoreStateV1): StoreState => {
  const projects = byId(state.projects);
  const branches = byId(state.branches);
  const withMembership = <T extends { projectId: string; branchId: string | null }>(row: T) => ({
    ...row,
    workspaceId: projects.get(row.projectId)?.workspaceId ?? "",
    branchGitName: row.branchId === null ? null : (branches.get(row.branchId)?.gitName ?? null),
  });
  const databases = mapRows(state.databases, (row: Omit<DatabaseRow, "workspaceId" | "branchGitName">) =>
    withMembership(row),
  );
  const workspaceIds = byId(databases);

  const integrations = byId(state.integrations);
  const lastExpiry = new Map<string, number>();
  for (const [, { grantId, expiresAt }] of state.refreshTokens.rows) {
    lastExpiry.set(grantId, Math.max(expiresAt + day, lastExpiry.get(grantId) ?? 0));
  }
  const grants = byId(state.grants);
  return {
    ...state,
    databases,
    apps: mapRows(state.apps, (row: Omit<AppRow, "workspaceId" | "branchGitName">) => withMembership(row)),
    connections: mapRows(state.connections, (row) => ({
      ...row,
      workspaceId: workspaceIds.get(row.databaseId)?.workspaceId ?? "",
    })),
    grants: mapRows(state.grants, (row) => ({
      ...row,
      expiresAt: integrations.has(row.integrationId)
        ? Math.max(row.createdAt + hour, lastExpiry.get(row.id) ?? 0)
        : row.createdAt,
    })),
    authorizationCodes: mapRows(state.authorizationCodes, (row) =>
      row.grantId !== null && grants.has(row.grantId) ? { ...row, expiresAt: null } : row,
    ),
  };
};

const byId = <T extends Row>({ rows }: CollectionState<T>): Map<string, T> =>
  new Map(rows.map(([, row]) => [row.id, row]));

const mapRows = <From extends Row, To extends Row>(
  { next, rows }: CollectionState<From>,
  change: (row: From) => To,
): CollectionState<To> => ({ next, rows: rows.map(([sequence, row]) => [sequence, change(row)]) });
