import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { StoredProfiles } from "./profile.js";

/** Returns the data directory of the `mgmt dev --here` of a folder. */
export const getStackDataFolder = (folder: string): string => join(folder, ".mgmt", "dev");

/**
 * Returns the name of the profile of the `mgmt dev --here` whose folder is this one, or the nearest above it in the same clone or worktree.
 * The profiles file alone determines which folders have one, because the content of a folder can come with a repository. A folder whose
 * data was removed has none.
 */
export const findStackProfileName = ({ profiles }: StoredProfiles, cwd: string): string | undefined => {
  const stacks = Object.entries(profiles).filter(([, { folder }]) => folder !== undefined);
  // Most users have none, and then nothing is read.
  if (stacks.length === 0) return undefined;
  for (let folder = resolveRealPath(cwd); ; folder = dirname(folder)) {
    const [name] = stacks.find(([, profile]) => profile.folder === folder) ?? [];
    if (name !== undefined && entryExists(getStackDataFolder(folder))) return name;
    if (entryExists(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
};

/** Returns whether a path exists. A symbolic link exists even if its target does not. */
const entryExists = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The folder cannot be entered.
    return false;
  }
};

const resolveRealPath = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
};
