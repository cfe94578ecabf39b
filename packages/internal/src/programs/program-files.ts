import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";

const isWindows = process.platform === "win32";

/** Where systems look for programs without PATH. */
const defaultFolders = isWindows ? [] : ["/usr/bin", "/bin"];

/**
 * Returns the absolute folders of PATH. The others are relative to the working directory, where a repository of another user could have
 * programs of its own. An empty entry is the working directory itself.
 */
export const listProgramFolders = ({ PATH: path }: NodeJS.ProcessEnv): string[] =>
  path === undefined ? defaultFolders : path.split(delimiter).filter(isAbsolute);

/** Returns the variables that keep programs of the working directory from being found by their names. */
export const buildPathVariables = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const folders = listProgramFolders(env);
  return {
    // Without any folder, PATH would mean the working directory.
    PATH: (folders.length > 0 ? folders : defaultFolders).join(delimiter),
    ...(isWindows && { NoDefaultCurrentDirectoryInExePath: "1" }),
  };
};

/** Returns whether a path is a file that this account can run. */
export const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
