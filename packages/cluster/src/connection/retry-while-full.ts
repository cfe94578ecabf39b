import { setTimeout as sleep } from "node:timers/promises";
import { findDatabaseError } from "./unavailable.js";

/** Time between attempts, and for all of them, in milliseconds. */
const retryIntervalMs = 100;
const timeoutMs = 2_000;

/** The SQLSTATE `too_many_connections`. */
const tooManyConnections = "53300";

/**
 * Does work that opens a connection. Repeats it for a moment while Postgres has no connections left: the limits of tenants are applied
 * soon. A connection that Postgres refuses has run no statement.
 */
export const retryWhileFull = async <T>(work: () => Promise<T>): Promise<T> => {
  for (const startedAt = performance.now(); ; await sleep(retryIntervalMs)) {
    try {
      return await work();
    } catch (error) {
      const isFull = findDatabaseError(error)?.code === tooManyConnections;
      if (!isFull || performance.now() - startedAt >= timeoutMs) throw error;
    }
  }
};
