import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isWithinFolder } from "./is-within-folder.js";

/**
 * Returns the path of the file that a path leads to by symbolic links, or undefined if that of a file below a folder leads out of the
 * folder. Returns the path itself if there is no file.
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
