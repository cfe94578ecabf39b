import { isAbsolute, relative, sep } from "node:path";

/** Returns whether a path is in a folder, or is the folder. Looks at the names alone. */
export const isWithinFolder = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, path);
  return relativePath !== ".." && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
};
