import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { corruptProfiles, unreadableProfiles } from "../errors.js";
import { isProfiles, noProfiles, type Profiles } from "./profile.js";

/** The one file that everything is kept in: under `MGMT_CONFIG_DIR`, or where the system keeps a user's settings. */
export const profilesFile = (env: NodeJS.ProcessEnv, system: NodeJS.Platform = process.platform): string =>
  join(env["MGMT_CONFIG_DIR"]?.trim() || usualFolder(env, system), "config.json");

const usualFolder = (env: NodeJS.ProcessEnv, system: NodeJS.Platform): string => {
  if (system === "darwin") return join(homedir(), "Library", "Preferences", "mgmt");
  if (system === "win32")
    return join(env["APPDATA"] || join(homedir(), "AppData", "Roaming"), "mgmt", "Config");
  return join(env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "mgmt");
};

/**
 * Reads the file without the package that writes it, which takes longer to load than most commands to run. A file that is
 * not there holds no profiles. Throws for one that cannot be read or holds something else; it is left as it is.
 */
export const readProfiles = (file: string): Profiles => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return noProfiles;
    throw unreadableProfiles(file, error);
  }
  const value = parse(file, text);
  if (!isProfiles(value)) throw corruptProfiles(file, "it does not hold profiles");
  return value;
};

/** The parser's own error quotes the text. */
const parse = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw corruptProfiles(file, text.trim() === "" ? "it is empty" : "it is not JSON");
  }
};
