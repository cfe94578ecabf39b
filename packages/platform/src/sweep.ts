import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { endLeftovers } from "./postgres/leftovers.js";
import { lifeOfHolder, lockName } from "./data-dir/lock.js";

export const ephemeralPrefix = "mgmt-ephemeral-";

/** Age in milliseconds after which a directory without a lock belongs to an interrupted start. */
const lockLimit = 60_000;

/**
 * Removes the directories of ephemeral platforms that were killed together with their watchdogs. Leaves one whose process may
 * run, in another container that shares the directory.
 */
export const sweepEphemeral = async (base: string): Promise<void> => {
  const names = await readdir(base).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(ephemeralPrefix)) continue;
    const path = join(base, name);
    try {
      const found = await lstat(path);
      if (!found.isDirectory() || found.uid !== process.geteuid?.()) continue;
      const life = await lifeOfHolder(path);
      if (life === undefined) {
        const isInterrupted = Date.now() - found.mtimeMs > lockLimit && (await hasOnlyLocks(path));
        if (isInterrupted) await rm(path, { recursive: true, force: true });
      } else if (life === "dead") {
        await endLeftovers(join(path, "postgres"));
        await rm(path, { recursive: true, force: true });
      }
    } catch {
      // Another process uses it, or is removing it.
    }
  }
};

/** Tells whether a directory contains nothing but what a start that was killed while it took the lock leaves. */
const hasOnlyLocks = async (path: string): Promise<boolean> =>
  (await readdir(path)).every((name) => name.startsWith(lockName));
