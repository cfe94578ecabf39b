import { statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { UntrustedFileError } from "@mgmt/internal/files/file-owner";
import { readTrustedFileSync } from "@mgmt/internal/files/trusted-file-sync";
import { homeFolder, userFolder } from "@mgmt/internal/files/user-folders";
import { corruptProfiles, unreadableProfiles, untrustedProfiles } from "../errors/storage-errors.js";
import { isProfiles, noProfiles, type Profiles, withoutEnded } from "./profile.js";

/** Returns the path of the profiles file: in `MGMT_CONFIG_DIR`, or in the system's folder for user settings. */
export const profilesFile = (env: NodeJS.ProcessEnv, system: NodeJS.Platform = process.platform): string =>
  join(env["MGMT_CONFIG_DIR"]?.trim() || settingsFolder(env, system), "config.json");

const settingsFolder = (env: NodeJS.ProcessEnv, system: NodeJS.Platform): string => {
  if (system === "darwin") return join(homeFolder(), "Library/Preferences/mgmt");
  if (system === "win32") return join(userFolder(env["APPDATA"], "AppData", "Roaming"), "mgmt", "Config");
  return join(userFolder(env["XDG_CONFIG_HOME"], ".config"), "mgmt");
};

/**
 * Reads the profiles file; a missing file has no profiles. Does not use the package that writes it, which takes longer to
 * load than most commands take to run. Leaves out profiles of ephemeral services that have ended. Throws `profiles:unreadable`,
 * `profiles:untrusted` or `profiles:corrupt`.
 */
export const readProfiles = (file: string): Profiles => {
  let text: string;
  try {
    if (!statSync(file, { throwIfNoEntry: false })) return noProfiles;
    text = readTrustedFileSync(file);
  } catch (error) {
    if (isMissing(error)) return noProfiles;
    if (error instanceof UntrustedFileError && error.isRegular) throw untrustedProfiles(file, error.message);
    throw unreadableProfiles(file, error);
  }
  const value = parse(file, text);
  if (!isProfiles(value)) throw corruptProfiles(file, "it does not contain profiles");
  return withoutEnded(value);
};

/** A user without a home directory has no profiles: services often run with one such as /dev/null. */
const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");

/** The parser's own error message is not shown, because it quotes the text. */
const parse = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw corruptProfiles(file, text.trim() === "" ? "it is empty" : "it is not JSON");
  }
};
