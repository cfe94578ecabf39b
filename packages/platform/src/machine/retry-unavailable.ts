import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailableError } from "@mgmt/engine";
import { isCausedByFullDisk, platformErrors } from "../errors/platform-error.js";
import type { PostgresSupervisor } from "./postgres/supervisor.js";

/** Milliseconds that a start waits for a Postgres that is being restarted. */
const timeoutMs = 60_000;

/** Milliseconds between two attempts. */
const retryDelayMs = 200;

/**
 * Does the work of a start, and does it again if Postgres was not available, because Postgres can end or hang during a start as well.
 *
 * @throws PlatformError `platform:postgres_failed` when Postgres stays unavailable. Other errors of `callback` are thrown unchanged.
 */
export const retryWhileUnavailable = async <T>(
  { exited }: Pick<PostgresSupervisor, "exited">,
  callback: () => Promise<T>,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  let hasExited = false;
  void exited.then(() => (hasExited = true));
  for (;;) {
    try {
      return await callback();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || isCausedByFullDisk(error)) throw error;
      if (hasExited || performance.now() > deadline) {
        throw platformErrors.postgresFailed("Postgres accepts no connections", error.message);
      }
    }
    await Promise.race([exited, sleep(retryDelayMs)]);
  }
};
