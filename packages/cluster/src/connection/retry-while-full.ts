import { setTimeout as sleep } from "node:timers/promises";
import { findDatabaseError, isOutOfLocksError } from "./unavailable.js";

/** Time between attempts, and for all of them, in milliseconds. */
const retryIntervalMs = 100;
const timeoutMs = 2_000;

/** The SQLSTATE `too_many_connections`. */
const tooManyConnections = "53300";

/** Returns whether Postgres has rejected work because of a lack of connections or locks, so that it may succeed later. */
export const isFullError = (error: unknown): boolean =>
  findDatabaseError(error)?.code === tooManyConnections || isOutOfLocksError(error);

/**
 * Runs a callback, and repeats it for two seconds while Postgres refuses a connection because there are too many: of the server, or of the
 * database or the role, for which Postgres has the same code. Also repeats it while tenants have all locks of the server. Sessions may end,
 * and the guard may lower the limits of tenants, but neither is certain. Repeating is safe only for a callback that opens its connection before its
 * first statement, and of which nothing remains when a statement fails.
 *
 * @throws the error of the callback, also when Postgres still rejects it.
 */
export const retryWhileFull = async <T>(callback: () => Promise<T>): Promise<T> => {
  for (const startedAt = performance.now(); ; await sleep(retryIntervalMs)) {
    try {
      return await callback();
    } catch (error) {
      if (!isFullError(error) || performance.now() - startedAt >= timeoutMs) throw error;
    }
  }
};
