import type { AdminConnection } from "../connection/admin-connection.js";
import type { CurrentEndReasons } from "../connection/end-reasons.js";
import { TenantGuard, type TenantLimits } from "./tenant-guard.js";
import type { ReadWorkspaces } from "./workspaces.js";

/** Keeps tenants within their limits. */
export interface Guards {
  /** Resolves when the limits have been applied once. */
  readonly whenApplied: Promise<void>;
  /** Returns how many databases are closed now because they have used too much. */
  countClosed(): number;
  close(): Promise<void>;
}

/**
 * Applies the limits of tenants, now and then regularly.
 *
 * @param limits default: those that fit the settings of the server.
 * @param report receives a message about each database that is closed because it uses too much memory.
 * @param endReasons receives why sessions are ended.
 * @param readWorkspaces default: each database has a workspace of its own.
 */
export const openGuards = (
  admin: AdminConnection,
  limits: Partial<TenantLimits>,
  report: (problem: string) => void,
  endReasons: CurrentEndReasons,
  readWorkspaces?: ReadWorkspaces,
): Guards => {
  const guard = new TenantGuard(admin, limits, { report, endReasons, readWorkspaces });
  return { whenApplied: guard.start(), countClosed: () => guard.countClosed(), close: () => guard.close() };
};
