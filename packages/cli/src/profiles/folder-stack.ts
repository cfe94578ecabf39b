import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Profile, StoredProfiles } from "./profile.js";

/** The `mgmt dev --here` of a folder, which may have stopped. */
export interface FolderStack {
  readonly profileName: string;
  /** Where its data is now, without symbolic links. */
  readonly folder: string;
}

/** Returns the data directory of the `mgmt dev --here` of a folder. */
export const getStackDataFolder = (folder: string): string => join(folder, ".mgmt", "dev");

/** Returns the file with the id of the data in a data directory, which only its owner can read. */
export const getDataIdPath = (dataDir: string): string => join(dataDir, "data-id");

/**
 * Returns the `mgmt dev --here` whose folder is this one, or the nearest above it in the same clone or worktree. The profiles file alone
 * determines which folders have one, because the content of a folder can come with a repository: their paths, and the ids of data that was
 * moved. A folder whose data was removed has none.
 */
export const findFolderStack = ({ profiles }: StoredProfiles, cwd: string): FolderStack | undefined => {
  const stacks = Object.entries(profiles).filter(([, { folder }]) => folder !== undefined);
  // Most users have none, and then nothing is read.
  if (stacks.length === 0) return undefined;
  for (let folder = resolveRealPath(cwd); ; folder = dirname(folder)) {
    if (entryExists(getStackDataFolder(folder))) {
      const [profileName] =
        stacks.find(([, profile]) => profile.folder === folder) ?? findMovedStack(stacks, folder) ?? [];
      if (profileName !== undefined) return { profileName, folder };
    }
    if (entryExists(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
};

/** Returns the entry of the profile whose data was moved to this folder. Data of which this is a copy stays with its folder. */
const findMovedStack = (
  stacks: readonly [string, Profile][],
  folder: string,
): [string, Profile] | undefined => {
  const dataId = readDataId(folder);
  return stacks.find(
    ([, profile]) =>
      profile.dataId !== undefined &&
      profile.dataId === dataId &&
      profile.folder !== undefined &&
      !entryExists(getStackDataFolder(profile.folder)),
  );
};

const readDataId = (folder: string): string | undefined => {
  const path = getDataIdPath(getStackDataFolder(folder));
  try {
    // Opening a named pipe would wait for its writer.
    return lstatSync(path).isFile() ? readFileSync(path, "utf8").trim() : undefined;
  } catch {
    return undefined;
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
