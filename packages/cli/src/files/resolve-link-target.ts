import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isWithinFolder } from "./is-within-folder.js";

/**
 * Resolves the symbolic links in a path, and returns the path of the file. Returns undefined if the path of a file below a folder leads out
 * of the folder. Returns the path itself if there is no file.
 *
 * @param path relative to the folder.
 */
export const resolveLinkTarget = async (path: string, folder: string): Promise<string | undefined> => {
  const absolutePath = resolve(folder, path);
  if (!isWithinFolder(folder, absolutePath)) return absolutePath;
  try {
    const [target, root] = await Promise.all([realpath(absolutePath), realpath(folder)]);
    return isWithinFolder(root, target) ? target : undefined;
  } catch {
    return absolutePath;
  }
};
