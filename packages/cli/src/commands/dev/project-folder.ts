import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { getHomeFolder } from "@mgmt/internal/files/user-folders";
import { homeFolderError } from "../../errors/dev-errors.js";
import { isWithinFolder } from "../../files/is-within-folder.js";
import type { Context } from "../../input/context.js";
import { findFolderStack } from "../../profiles/folder-stack.js";
import { findLink } from "../../profiles/link-file.js";
import { getProfilesPath, readProfiles } from "../../profiles/read-profiles.js";

/**
 * Returns the folder whose service `mgmt dev --here` runs, without symbolic links: the one that has a service already, else the one with the
 * link, else the top of the clone or worktree, else the one with the package.json, else the working directory. The nearest is chosen,
 * and none above the clone or worktree.
 *
 * @throws `dev:home_folder` for the home directory and the folders above it, whose service all projects would use.
 */
export const findProjectFolder = ({ cwd, env }: Pick<Context, "cwd" | "env">): string => {
  const stack = findFolderStack(readProfiles(getProfilesPath(env)), cwd);
  if (stack) return stack.folder;
  const workingFolder = realpathSync.native(cwd);
  if (isHomeOrAbove(workingFolder)) throw homeFolderError(workingFolder);
  const folders = listProjectFolders(workingFolder);
  const linkFile = findLink(workingFolder)?.file;
  const linkedFolder = linkFile === undefined ? undefined : dirname(dirname(linkFile));
  const findFolderWith = (name: string): string | undefined =>
    folders.find((folder) => existsSync(join(folder, name)));
  return (
    folders.find((folder) => folder === linkedFolder) ??
    findFolderWith(".git") ??
    findFolderWith("package.json") ??
    workingFolder
  );
};

/** Returns the folder and its parents, nearest first, up to the top of the clone. Leaves out folders that contain the home directory. */
const listProjectFolders = (folder: string): string[] => {
  if (isHomeOrAbove(folder)) return [];
  const isTop = existsSync(join(folder, ".git")) || dirname(folder) === folder;
  return [folder, ...(isTop ? [] : listProjectFolders(dirname(folder)))];
};

const isHomeOrAbove = (folder: string): boolean => isWithinFolder(folder, resolveHomeFolder());

const resolveHomeFolder = (): string => {
  const homeFolder = getHomeFolder();
  try {
    return realpathSync.native(homeFolder);
  } catch {
    return homeFolder;
  }
};
