import {
  type Stats,
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { getHomeFolder, resolveUserFolder } from "@mgmt/internal/files/user-folders";

/** Returns the cache folder of this command, or one in it. All of it can be deleted at any time. */
export const getCacheFolder = (env: NodeJS.ProcessEnv, name = ""): string =>
  join(getUserCacheFolder(env), "mgmt", name);

const getUserCacheFolder = (env: NodeJS.ProcessEnv): string => {
  if (process.platform === "darwin") return join(getHomeFolder(), "Library/Caches");
  if (process.platform === "win32") return resolveUserFolder(env["LOCALAPPDATA"], "AppData", "Local");
  return resolveUserFolder(env["XDG_CACHE_HOME"], ".cache");
};

/** Reads a file unless other users can have written it: with `sudo`, the home directory may belong to another user. */
export const readOwnedFile = (path: string): Buffer | undefined => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    return isOwnedFile(fstatSync(descriptor)) ? readFileSync(descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/**
 * Returns whether no other user can put something into a folder, or another one in its place. It belongs to this user; those above it, also
 * behind links, to this user or to root, and others cannot write them, or only as in `/tmp`. With `sudo`, the home directory may belong to
 * another user, who could have linked it to folders of this user. A folder that does not exist yet is judged by those above it.
 */
export const isProtectedFolder = (folder: string): boolean => {
  try {
    const existingFolder = findNearestExistingPath(folder);
    if (existingFolder === folder && !isOwnedFile(lstatSync(folder))) return false;
    return [existingFolder, realpathSync.native(existingFolder)].every(isProtectedPath);
  } catch {
    return false;
  }
};

const findNearestExistingPath = (path: string): string =>
  lstatSync(path, { throwIfNoEntry: false }) ? path : findNearestExistingPath(dirname(path));

const isOwnedFile = ({ uid, mode }: Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);

const isProtectedPath = (path: string): boolean => {
  const stats = lstatSync(path);
  const isWritableByOthers =
    !stats.isSymbolicLink() && (stats.mode & 0o022) !== 0 && (stats.mode & stickyBit) === 0;
  const hasTrustedOwner = process.getuid === undefined || [0, process.getuid()].includes(stats.uid);
  return hasTrustedOwner && !isWritableByOthers && (dirname(path) === path || isProtectedPath(dirname(path)));
};

/** In a folder with this bit, users can remove only their own files. */
const stickyBit = 0o1000;

/** Writes a file that is complete as soon as it exists, even if the machine stops. */
export const writeFileAtomically = (path: string, content: Buffer): void => {
  const temporaryPath = `${path}.${process.pid}.part`;
  rmSync(temporaryPath, { force: true });
  // Does not follow a link.
  const descriptor = openSync(temporaryPath, "wx", 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporaryPath, path);
  } catch (error) {
    rmSync(temporaryPath, { force: true });
    throw error;
  }
};
