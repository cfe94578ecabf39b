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
  const remaining = path.split(sep);
  let directory: string = sep;
  let links = 0;
  for (let name = remaining.shift(); name !== undefined; name = remaining.shift()) {
    if (name === "..") directory = dirname(directory);
    if (name === "" || name === "." || name === "..") continue;
    const nextPath = join(directory, name);
    // Opening the path reports this error.
    const stats = await lstat(nextPath).catch(() => undefined);
    if (stats === undefined) return undefined;
    if (!(await isTrustedOwner(stats.uid))) return `${nextPath} belongs to another account`;
    if (stats.isSymbolicLink()) {
      links += 1;
      if (links > maxSymbolicLinks) return undefined;
      const target = await readlink(nextPath);
      if (isAbsolute(target)) directory = sep;
      remaining.unshift(...target.split(sep));
    } else {
      if (stats.isDirectory() && isWritableByOthers(stats)) return `other accounts can write to ${nextPath}`;
      directory = nextPath;
    }
  }
  return undefined;
};

const ownUid = (): number | undefined => process.geteuid?.();

const isWritableByOthers = ({ mode, gid }: Stats): boolean => {
  if ((mode & stickyBit) !== 0) return false;
  // By convention, the group of a user that has no other members has the same number.
  const isOwnGroup = gid === 0 || gid === ownUid();
  return (mode & othersWriteBit) !== 0 || ((mode & groupWriteBit) !== 0 && !isOwnGroup);
};

const isTrustedOwner = async (uid: number): Promise<boolean> =>
  uid === 0 || uid === ownUid() || (uid === overflowUid && !(await isMapped(uid)));

/** The owner that Linux shows inside a user namespace for files of accounts without an id there. Root is usually one of them. */
const overflowUid = 65_534;

/** A line of `/proc/self/uid_map` has the first id inside the namespace, the matching id outside, and the number of ids. */
const isMapped = async (uid: number): Promise<boolean> => {
  const map = await readFile("/proc/self/uid_map", "utf8").catch(() => undefined);
  if (map === undefined) return true;
  return map.split("\n").some((line) => {
    const [first = NaN, , length = NaN] = line.trim().split(/\s+/).map(Number);
    return uid >= first && uid < first + length;
  });
};
