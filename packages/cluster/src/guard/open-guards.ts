import type { AdminConnection } from "../connection/admin-connection.js";
import { TenantGuard, type TenantGuardOptions, type TenantLimits } from "./tenant-guard.js";

/** Keeps tenants within their limits. */
export interface Guards {
  /** Resolves when the limits have been applied once. */
  readonly applied: Promise<void>;
  /** Returns how many databases are closed now because they have used too much. */
  countClosed(): number;
  close(): Promise<void>;
}

/**
 * Starts to apply the limits of tenants: immediately, and then regularly.
 *
 * @param limits default: those that fit the settings of the server.
 */
export const openGuards = (
  admin: AdminConnection,
  limits: Partial<TenantLimits>,
  options: TenantGuardOptions,
): Guards => {
  const guard = new TenantGuard(admin, limits, options);
  return { applied: guard.start(), countClosed: () => guard.countClosed(), close: () => guard.close() };
};
