import type * as rows from "./rows.js";

/**
 * One kind of row, in the order of insertion. Reads give the row itself: never change one but through `update`.
 * `sequence` grows with every insertion and is never used again, so that a cursor survives the deletion of its row.
 */
export interface Collection<T extends rows.Row> {
  get(id: string): T | undefined;
  insert(row: T): T;
  update(id: string, changes: Partial<Omit<T, "id">>): T;
  delete(id: string): void;
  /** Oldest first. */
  filter(matches: (row: T) => boolean): T[];
  find(matches: (row: T) => boolean): T | undefined;
  /**
   * Up to `limit` matching rows that come after the one with this insertion number (which may be gone), in the order of
   * insertion or, with `newestFirst`, against it. Undefined: from the start.
   */
  after(sequence: number | undefined, limit: number, matches: (row: T) => boolean, newestFirst: boolean): T[];
  sequence(id: string): number;
  readonly size: number;
}

/** The whole state of the reference server. */
export interface Store {
  readonly users: Collection<rows.UserRow>;
  readonly workspaces: Collection<rows.WorkspaceRow>;
  readonly serviceTokens: Collection<rows.ServiceTokenRow>;
  readonly clients: Collection<rows.ClientRow>;
  readonly integrations: Collection<rows.IntegrationRow>;
  readonly authorizationCodes: Collection<rows.AuthorizationCodeRow>;
  readonly grants: Collection<rows.GrantRow>;
  readonly refreshTokens: Collection<rows.RefreshTokenRow>;
  readonly revokedTokens: Collection<rows.RevokedTokenRow>;
  readonly projects: Collection<rows.ProjectRow>;
  readonly branches: Collection<rows.BranchRow>;
  readonly databases: Collection<rows.DatabaseRow>;
  readonly connections: Collection<rows.ConnectionRow>;
  readonly backups: Collection<rows.BackupRow>;
  readonly apps: Collection<rows.AppRow>;
  readonly deployments: Collection<rows.DeploymentRow>;
  readonly approvals: Collection<rows.ApprovalRow>;
}
