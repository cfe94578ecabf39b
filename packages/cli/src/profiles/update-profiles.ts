import { constants } from "node:fs";
import { access, chmod, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { busyProfilesError, unwritableProfilesError } from "../errors/storage-errors.js";
import { type Profile, findProfile, type StoredProfiles } from "./profile.js";
import { readProfiles } from "./read-profiles.js";

/** How long to wait for the lock. Other processes hold it for milliseconds. */
const lockTimeoutMs = 15_000;

/**
 * Replaces the content of the profiles file by the result of `change`. Writes the file as a whole, readable by this user only (0600), and
 * under a lock, so that concurrent processes do not lose each other's changes. Throws `profiles:corrupt`, `profiles:unwritable` or
 * `profiles:busy`, and then leaves the file unchanged.
 */
export const updateProfiles = async (
  path: string,
  change: (profiles: StoredProfiles) => StoredProfiles,
): Promise<StoredProfiles> => {
  await assertWritable(path);
  return replaceProfiles(path, change);
};

/**
 * Updates the profiles file even if it has become read-only since `assertWritable` was called: for a refreshed login, which
 * would be lost otherwise. The file stays read-only.
 */
export const updateProfilesOnceWritable = async (
  path: string,
  change: (profiles: StoredProfiles) => StoredProfiles,
): Promise<void> => {
  const mode = (await stat(path).catch(() => undefined))?.mode;
  await replaceProfiles(path, change);
  if (mode !== undefined && (mode & constants.S_IWUSR) === 0) await chmod(path, mode & 0o777);
};

const replaceProfiles = async (
  path: string,
  change: (profiles: StoredProfiles) => StoredProfiles,
): Promise<StoredProfiles> => {
  const { withFileLock } = await import("../sdk/oauth.js");
  const signal = AbortSignal.timeout(lockTimeoutMs);
  const applyChange = async (): Promise<StoredProfiles> => {
    const newProfiles = change(readProfiles(path));
    await writeProfiles(path, newProfiles);
    return newProfiles;
  };
  try {
    return await withFileLock(`${path}.lock`, applyChange, { signal });
  } catch (error) {
    throw error === signal.reason ? busyProfilesError(path) : error;
  }
};

/** Changes one profile, or creates it. */
export const updateProfile = (
  path: string,
  name: string,
  change: (profile: Profile | undefined) => Profile,
): Promise<StoredProfiles> =>
  updateProfiles(path, (storedProfiles) => ({
    ...storedProfiles,
    profiles: { ...storedProfiles.profiles, [name]: change(findProfile(storedProfiles, name)) },
  }));

/** Creates the folder, and throws `profiles:unwritable` if the file could not be written. Respects a read-only file. */
export const assertWritable = async (path: string): Promise<void> => {
  try {
    createDirectory(dirname(path));
    await access(dirname(path), constants.W_OK | constants.X_OK);
    const stats = await stat(path).catch(() => undefined);
    if (stats && (stats.mode & constants.S_IWUSR) === 0) throw new Error("it is marked read-only");
  } catch (error) {
    throw unwritableProfilesError(path, error);
  }
};

const writeProfiles = async (path: string, profiles: StoredProfiles): Promise<void> => {
  const Conf = await loadConf();
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(path),
      configName: basename(path, ".json"),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
    });
    conf.store = { ...profiles };
  } catch (error) {
    throw unwritableProfilesError(path, error);
  }
};

/**
 * Loads `conf` without its signal handlers. The package that it writes with handles every signal by repeating it to end
 * the process, so that Ctrl-C would end the run before `main` can end it in an orderly way.
 */
const loadConf = async (): Promise<typeof import("conf").default> => {
  const addedListeners: [event: string, listener: NodeJS.SignalsListener][] = [];
  const recordListener = (event: string | symbol, listener: NodeJS.SignalsListener): void => {
    if (typeof event === "string" && event.startsWith("SIG")) addedListeners.push([event, listener]);
  };
  process.on("newListener", recordListener);
  try {
    return (await import("conf")).default;
  } finally {
    process.off("newListener", recordListener);
    for (const [event, listener] of addedListeners) process.off(event, listener);
  }
};
