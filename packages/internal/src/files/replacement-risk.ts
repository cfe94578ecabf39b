import type { Stats } from "node:fs";
import { lstat, readFile, readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, sep } from "node:path";

const othersWriteBit = 0o002;
const groupWriteBit = 0o020;
/** Only the owner of a file in such a directory can rename or remove it, as in `/tmp`. */
const stickyBit = 0o1000;

/** The number of symbolic links that Linux follows in a path. */
const maxSymbolicLinks = 40;

/**
 * Returns why another account could replace the file or directory at this path: it owns, or can write to, a directory or a link on the way
 * to it. Stops at the first part that does not exist.
 *
 * @param path an absolute path.
 */
export const findReplacementRisk = async (path: string): Promise<string | undefined> => {
  const remainingNames = path.split(sep);
  let directory: string = sep;
  let linkCount = 0;
  for (let name = remainingNames.shift(); name !== undefined; name = remainingNames.shift()) {
    if (name === "..") directory = dirname(directory);
    if (name === "" || name === "." || name === "..") continue;
    const nextPath = join(directory, name);
    // Opening the path reports this error.
    const stats = await lstat(nextPath).catch(() => undefined);
    if (stats === undefined) return undefined;
    if (!(await isTrustedOwner(stats.uid))) return `${nextPath} belongs to another account`;
    if (stats.isSymbolicLink()) {
      linkCount += 1;
      if (linkCount > maxSymbolicLinks) return undefined;
      const target = await readlink(nextPath);
      if (isAbsolute(target)) directory = sep;
      remainingNames.unshift(...target.split(sep));
    } else {
      if (stats.isDirectory() && isWritableByOthers(stats)) return `other accounts can write to ${nextPath}`;
      directory = nextPath;
    }
  }
  return undefined;
};

const getCurrentUid = (): number | undefined => process.geteuid?.();

const isWritableByOthers = ({ mode, gid }: Stats): boolean => {
  if ((mode & stickyBit) !== 0) return false;
  // By convention, the group of a user that has no other members has the same number.
  const isOwnGroup = gid === 0 || gid === getCurrentUid();
  return (mode & othersWriteBit) !== 0 || ((mode & groupWriteBit) !== 0 && !isOwnGroup);
};

const isTrustedOwner = async (uid: number): Promise<boolean> =>
  uid === 0 || uid === getCurrentUid() || (uid === overflowUid && !(await isMappedUid(uid)));

/** The owner that Linux shows inside a user namespace for files of accounts without an id there. Root is usually one of them. */
const overflowUid = 65_534;

/**
 * Returns whether a user id of this user namespace has a matching id outside of it. A line of `/proc/self/uid_map` has the first id inside
 * the namespace, the matching id outside, and the number of ids.
 */
const isMappedUid = async (uid: number): Promise<boolean> => {
  const uidMap = await readFile("/proc/self/uid_map", "utf8").catch(() => undefined);
  if (uidMap === undefined) return true;
  return uidMap.split("\n").some((line) => {
    const [firstUid = NaN, , count = NaN] = line.trim().split(/\s+/).map(Number);
    return uid >= firstUid && uid < firstUid + count;
  });
};
