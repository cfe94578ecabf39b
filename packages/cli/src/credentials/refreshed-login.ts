import { createHash } from "node:crypto";
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { preallocationPadding } from "@mgmt/internal/files/preallocation-padding";
import { readTrustedFileSync } from "@mgmt/internal/files/trusted-file-sync";
import { unsavedLoginError, unwritableProfilesError } from "../errors/storage-errors.js";
import { isObject } from "../json/json-path.js";
import { isLogin, type Login } from "../sdk/oauth.js";

/**
 * A refreshed login that is not in the profiles file yet. It is in a file beside it, which is opened before the refresh token is
 * used, so that a process that is killed later than the first write after the response loses no login.
 */
export interface RefreshedLogin {
  /**
   * Writes the login. Synchronous, because a process that is killed before it has no copy of the login.
   *
   * @throws CliError `profiles:unwritable`.
   */
  write(login: Login): void;
  /** Removes the file. */
  remove(): void;
  close(): void;
}

/** Profile names have no `~`, so no other file has this name. */
const getRefreshedLoginPath = (profilesPath: string, name: string): string => `${profilesPath}~${name}`;

/** Identifies the login that a refreshed one replaces. */
const hashAccessToken = ({ accessToken }: Login): string =>
  createHash("sha256").update(accessToken).digest("base64url");

/**
 * Creates the file for the next login of a profile, and reserves space in it. Call it under the lock of the profile.
 *
 * @param currentLogin the login in the profiles file.
 * @throws CliError `profiles:unwritable` if the file cannot be created or the space cannot be reserved.
 */
export const prepareRefreshedLogin = (
  profilesPath: string,
  name: string,
  currentLogin: Login | undefined,
): RefreshedLogin => {
  const path = getRefreshedLoginPath(profilesPath, name);
  const descriptor = openNewFile(path, profilesPath);
  try {
    writeAll(descriptor, preallocationPadding);
  } catch (error) {
    closeSync(descriptor);
    removeRefreshedLogin(profilesPath, name);
    throw unwritableProfilesError(profilesPath, error);
  }
  return {
    write(login) {
      const replaces = currentLogin && hashAccessToken(currentLogin);
      try {
        ftruncateSync(descriptor, writeAll(descriptor, JSON.stringify({ login, replaces })));
      } catch (error) {
        throw unsavedLoginError(path, error);
      }
    },
    remove: () => removeRefreshedLogin(profilesPath, name),
    close: () => closeSync(descriptor),
  };
};

const openNewFile = (path: string, profilesPath: string): number => {
  try {
    rmSync(path, { force: true });
    // A link or a file that another user created meanwhile is rejected.
    return openSync(path, "wx", 0o600);
  } catch (error) {
    throw unwritableProfilesError(profilesPath, error);
  }
};

/** Writes text to the start of a file. Returns the number of bytes. */
const writeAll = (descriptor: number, text: string): number => {
  const bytes = Buffer.from(text);
  let writtenBytes = 0;
  // A write can be partial, for example at a file size limit. The next one then throws the reason.
  while (writtenBytes < bytes.length)
    writtenBytes += writeSync(descriptor, bytes, writtenBytes, bytes.length - writtenBytes, writtenBytes);
  return bytes.length;
};

/** Returns the refreshed login that replaces `currentLogin`; undefined if there is none. */
export const readRefreshedLogin = (
  profilesPath: string,
  name: string,
  currentLogin: Login,
): Login | undefined => {
  try {
    const value: unknown = JSON.parse(readTrustedFileSync(getRefreshedLoginPath(profilesPath, name)));
    if (!isObject(value) || value["replaces"] !== hashAccessToken(currentLogin)) return undefined;
    const { login } = value;
    return isLogin(login) ? login : undefined;
  } catch {
    // The file does not exist, or is incomplete because its writer was killed.
    return undefined;
  }
};

/** Deletes the file with the refreshed login of a profile, if there is one. */
export const removeRefreshedLogin = (profilesPath: string, name: string): void =>
  rmSync(getRefreshedLoginPath(profilesPath, name), { force: true });
