import { expect, vi } from "vitest";
import type { Cluster } from "../../platform/test/cluster.js";

/**
 * Does work while every change of a role waits, ends its session as the end of its backend would, and returns what the work
 * returned or threw.
 */
export const interrupt = async (cluster: Cluster, work: () => Promise<unknown>): Promise<unknown> => {
  const locker = await cluster.connectAsAdmin("postgres");
  // A transaction sees the sessions of its first look at them, so another connection looks for the one that waits.
  const observer = await cluster.connectAsAdmin("postgres");
  try {
    await locker.query("begin; lock table pg_authid in share row exclusive mode");
    const outcome = work().catch((error: unknown) => error);
    await vi.waitFor(
      async () => {
        const { rowCount } = await observer.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'mgmt' and wait_event_type = 'Lock'`,
        );
        expect(rowCount).toBe(1);
      },
      { interval: 20 },
    );
    await locker.query("rollback");
    return await outcome;
  } finally {
    // Ends its transaction too, if it is still open.
    await locker.end();
    await observer.end();
  }
};
