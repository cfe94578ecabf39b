import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { endLeftovers } from "../postgres/leftovers.js";
import { lockOwner } from "./lock.js";
import { isAlive } from "./process-identity.js";

export const ephemeralPrefix = "mgmt-";

/** Removes what ephemeral platforms have left behind that were killed together with their watchdogs. */
export const sweepEphemeral = async (base: string): Promise<void> => {
  const names = await readdir(base).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(ephemeralPrefix)) continue;
    const path = join(base, name);
    try {
      if (!(await isLeftover(path))) continue;
      await endLeftovers(join(path, "postgres"));
      await rm(path, { recursive: true, force: true });
    } catch {
      // Somebody else's, or just being removed.
    }
  }
};

const isLeftover = async (path: string): Promise<boolean> => {
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== process.geteuid?.()) return false;
  const owner = await lockOwner(path);
  return owner !== undefined && !(await isAlive(owner));
};
