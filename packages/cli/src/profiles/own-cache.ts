import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { homeFolder, userFolder } from "@mgmt/internal/files/user-folders";

/** Returns the folder of what this command stores to be faster, or one in it. All of it can be deleted at any time. */
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
    const { uid, mode } = fstatSync(descriptor);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? readFileSync(descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/**
 * Whether the folder, and those above it in the user's caches, belong to this user: with `sudo`, the home directory may be that
 * of another user, who could have linked them to folders of this one.
 */
export const isOwnFolder = (folder: string, above = 3): boolean => {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  const isWritable = found !== undefined && !found.isSymbolicLink() && (found.mode & 0o022) !== 0;
  const isForeign = found !== undefined && process.getuid !== undefined && found.uid !== process.getuid();
  return !isWritable && !isForeign && (above === 0 || isOwnFolder(dirname(folder), above - 1));
};

/** Writes a file that is complete as soon as it exists, even if the machine stops. */
export const writeWhole = (file: string, data: Buffer): void => {
  const temporary = `${file}.${process.pid}.part`;
  rmSync(temporary, { force: true });
  // Does not follow a link.
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(descriptor, data);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
};
