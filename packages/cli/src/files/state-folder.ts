import { join } from "node:path";
import { getHomeFolder, resolveUserFolder } from "@mgmt/internal/files/user-folders";

/** Returns the folder for the state of this command that outlives a run, such as logs. */
export const getStateFolder = (env: NodeJS.ProcessEnv): string => join(getUserStateFolder(env), "mgmt");

const getUserStateFolder = (env: NodeJS.ProcessEnv): string => {
  if (process.platform === "darwin") return join(getHomeFolder(), "Library/Application Support");
  if (process.platform === "win32") return resolveUserFolder(env["LOCALAPPDATA"], "AppData", "Local");
  return resolveUserFolder(env["XDG_STATE_HOME"], ".local", "state");
};
