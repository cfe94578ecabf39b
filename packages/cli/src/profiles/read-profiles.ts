import { statSync } from "node:fs";
import { join } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { UntrustedFileError } from "@mgmt/internal/files/file-owner";
import { readTrustedFileSync } from "@mgmt/internal/files/trusted-file-sync";
import { getHomeFolder, resolveUserFolder } from "@mgmt/internal/files/user-folders";
import {
  corruptProfilesError,
  unreadableProfilesError,
  untrustedProfilesError,
} from "../errors/storage-errors.js";
import { isStoredProfiles, emptyProfiles, type StoredProfiles, removeStoppedProfiles } from "./profile.js";

/** Returns the path of the profiles file: in `MGMT_CONFIG_DIR`, or in the system's folder for user settings. */
export const getProfilesPath = (
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string => join(env["MGMT_CONFIG_DIR"]?.trim() || getSettingsFolder(env, platform), "config.json");

const getSettingsFolder = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  if (platform === "darwin") return join(getHomeFolder(), "Library/Preferences/mgmt");
  if (platform === "win32")
    return join(resolveUserFolder(env["APPDATA"], "AppData", "Roaming"), "mgmt", "Config");
  return join(resolveUserFolder(env["XDG_CONFIG_HOME"], ".config"), "mgmt");
};

/**
 * Reads the profiles from their file, without the profiles of ephemeral services that have stopped. A missing file has no profiles. Reads
 * the file itself, although the package `conf` writes it: on Node.js 20, loading `conf` takes 16 ms, where all of `mgmt projects list`
 * takes 72 ms.
 *
 * @throws `profiles:unreadable`; `profiles:untrusted`, if another account could have written the file; `profiles:corrupt`.
 */
export const readProfiles = (path: string): StoredProfiles => {
  let profilesJson: string;
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return emptyProfiles;
    profilesJson = readTrustedFileSync(path);
  } catch (error) {
    if (isMissingFileError(error)) return emptyProfiles;
    if (error instanceof UntrustedFileError && error.reason === "other_account")
      throw untrustedProfilesError(path, error.message);
    throw unreadableProfilesError(path, error);
  }
  const value = parseProfilesJson(path, profilesJson);
  if (!isStoredProfiles(value)) throw corruptProfilesError(path, "it does not contain profiles");
  return removeStoppedProfiles(value);
};

/**
 * Returns whether a file does not exist. A user without a home directory has no profiles: the home of services is often a path such as
 * /dev/null.
 */
const isMissingFileError = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes(readErrorCode(error) ?? "");

/**
 * Parses the profiles file. The message of the error does not contain the message of the parser, which quotes the text.
 *
 * @throws `profiles:corrupt`
 */
const parseProfilesJson = (path: string, profilesJson: string): unknown => {
  try {
    return JSON.parse(profilesJson);
  } catch {
    throw corruptProfilesError(path, profilesJson.trim() === "" ? "it is empty" : "it is not JSON");
  }
};
