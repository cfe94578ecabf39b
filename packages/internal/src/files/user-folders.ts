import { isAbsolute, join } from "node:path";

// A relative path in the environment is ignored, as the XDG specification has it: the working directory may be somebody else's
// repository. `node:os` is not imported, because most runs of a command can save its load.

/**
 * Returns the home directory of the user. For an account that has none and is not in the account database, as in a container with
 * `--user`, it is `/`, as container engines set `HOME`.
 */
export const homeFolder = (): string =>
  absolute(process.env[process.platform === "win32" ? "USERPROFILE" : "HOME"]) ?? homeOfAccount();

/**
 * Returns a folder that a variable of the environment can move.
 *
 * @param named Value of the variable.
 * @param usual Where the folder is in the home directory otherwise.
 */
export const userFolder = (named: string | undefined, ...usual: readonly string[]): string =>
  absolute(named) ?? join(homeFolder(), ...usual);

const homeOfAccount = (): string => {
  try {
    return absolute(process.getBuiltinModule("node:os").userInfo().homedir) ?? "/";
  } catch {
    return "/";
  }
};

const absolute = (path: string | undefined): string | undefined =>
  path !== undefined && isAbsolute(path) ? path : undefined;
