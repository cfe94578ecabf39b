import { isAbsolute, join } from "node:path";

// A relative path in the environment is ignored, as the XDG specification has it: the working directory may be another user's
// repository. `node:os` is not imported, because most runs of a command can save its load.

/**
 * Returns the home directory of the user. For an account that has none and is not in the account database, as in a container with
 * `--user`, it is `/`, as container engines set `HOME`.
 */
export const getHomeFolder = (): string =>
  ignoreRelativePath(process.env[process.platform === "win32" ? "USERPROFILE" : "HOME"]) ?? readAccountHome();

/**
 * Returns a folder that a variable of the environment can move.
 *
 * @param variableValue value of the variable.
 * @param defaultSegments where the folder is in the home directory otherwise.
 */
export const resolveUserFolder = (
  variableValue: string | undefined,
  ...defaultSegments: readonly string[]
): string => ignoreRelativePath(variableValue) ?? join(getHomeFolder(), ...defaultSegments);

const readAccountHome = (): string => {
  try {
    return ignoreRelativePath(process.getBuiltinModule("node:os").userInfo().homedir) ?? "/";
  } catch {
    return "/";
  }
};

const ignoreRelativePath = (path: string | undefined): string | undefined =>
  path !== undefined && isAbsolute(path) ? path : undefined;
