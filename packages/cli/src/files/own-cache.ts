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
import { homeFolder, userFolder } from "@mgmt/internal/files/user-folders";

/** Returns the cache folder of this command, or one in it. All of it can be deleted at any time. */
export const cacheFolder = (env: NodeJS.ProcessEnv, name = ""): string => join(userCaches(env), "mgmt", name);

const userCaches = (env: NodeJS.ProcessEnv): string => {
  if (process.platform === "darwin") return join(homeFolder(), "Library/Caches");
  if (process.platform === "win32") return userFolder(env["LOCALAPPDATA"], "AppData", "Local");
  return userFolder(env["XDG_CACHE_HOME"], ".cache");
};

/** Reads a file unless other users can have written it: with `sudo`, the home directory may be that of another user. */
export const readOwn = (file: string): Buffer | undefined => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    return isOwn(fstatSync(descriptor)) ? readFileSync(descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/**
 * Whether no other user can put something into a folder, or another one in its place. It belongs to this user; those above it, also
 * behind links, to this user or to root, and others cannot write them, or only as in `/tmp`. With `sudo`, the home directory may be that
 * of another user, who could have linked it to folders of this one. A folder that does not exist yet is judged by those above it.
 */
export const isOwnFolder = (folder: string): boolean => {
  try {
    const existing = nearestExisting(folder);
    if (existing === folder && !isOwn(lstatSync(folder))) return false;
    return [existing, realpathSync.native(existing)].every(isProtected);
  } catch {
    return false;
  }
};

const nearestExisting = (path: string): string =>
  lstatSync(path, { throwIfNoEntry: false }) ? path : nearestExisting(dirname(path));

const isOwn = ({ uid, mode }: Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);

const isProtected = (path: string): boolean => {
  const stats = lstatSync(path);
  const isWritable = !stats.isSymbolicLink() && (stats.mode & 0o022) !== 0 && (stats.mode & sticky) === 0;
  const belongs = process.getuid === undefined || [0, process.getuid()].includes(stats.uid);
  return belongs && !isWritable && (dirname(path) === path || isProtected(dirname(path)));
};

/** In a folder with this bit, users can remove only their own files. */
const sticky = 0o1000;

/** Writes a file that is complete as soon as it exists, even if the machine stops. */
export const writeWhole = (file: string, data: Buffer): void => {
  const temporary = `${file}.${process.pid}.part`;
  rmSync(temporary, { force: true });
  // Does not follow a link.
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeFileSync(descriptor, data);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};
