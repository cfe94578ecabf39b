/**
 * Returns the home directory of the user, as `homedir` of `node:os` does, whose load most runs can save. For an account that has none
 * and is not in the account database, as in a container with `--user`, it is `/`, as container engines set `HOME`.
 */
export const homeFolder = (): string => {
  try {
    return (
      process.env[process.platform === "win32" ? "USERPROFILE" : "HOME"] ||
      process.getBuiltinModule("node:os").homedir()
    );
  } catch {
    return "/";
  }
};
