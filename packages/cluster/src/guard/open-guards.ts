import type { Admin } from "../connection/admin-connection.js";
import type { EndReasons } from "../connection/end-reasons.js";
import { TenantGuard, type TenantLimits } from "./tenant-guard.js";

/** Keeps tenants within their limits. */
export interface Guards {
  /** Resolves when the limits have been applied once. */
  readonly applied: Promise<void>;
  close(): Promise<void>;
}

/**
 * Applies the limits of tenants, now and then regularly.
 *
 * @param limits default: those that fit the settings of the server.
 * @param report receives a message about each database that is closed because it uses too much memory.
 * @param reasons receives why sessions are ended.
 */
export const openGuards = (
  admin: Admin,
  limits: Partial<TenantLimits>,
  report: (problem: string) => void,
  reasons: EndReasons,
): Guards => {
  const guard = new TenantGuard(admin, limits, { report, reasons });
  return { applied: guard.open(), close: () => guard.close() };
};
