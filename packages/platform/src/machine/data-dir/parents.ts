import type { Stats } from "node:fs";
import { lstat, readFile, readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, sep } from "node:path";

const writableByAll = 0o002;
const writableByGroup = 0o020;
/** Only the owner of a file in such a directory can rename or remove it, as in `/tmp`. */
const sticky = 0o1000;

/** The number of symbolic links that Linux follows in a path. */
const maxLinks = 40;

/**
 * Returns why another account could replace the file or directory at this path: it owns, or can write to, a directory or a link on the way
 * to it. Stops at the first part that does not exist.
 *
 * @param path an absolute path.
 */
export const whyReplaceable = async (path: string): Promise<string | undefined> => {
  const remaining = path.split(sep);
  let directory: string = sep;
  let links = 0;
  for (let name = remaining.shift(); name !== undefined; name = remaining.shift()) {
    if (name === "..") directory = dirname(directory);
    if (name === "" || name === "." || name === "..") continue;
    const next = join(directory, name);
    // Opening the path reports this error.
    const stats = await lstat(next).catch(() => undefined);
    if (stats === undefined) return undefined;
    if (!(await isTrusted(stats.uid))) return `${next} belongs to another account`;
    if (stats.isSymbolicLink()) {
      links += 1;
      if (links > maxLinks) return undefined;
      const target = await readlink(next);
      if (isAbsolute(target)) directory = sep;
      remaining.unshift(...target.split(sep));
    } else {
      if (stats.isDirectory() && isWritable(stats)) return `other accounts can write to ${next}`;
      directory = next;
    }
  }
  return undefined;
};

const ownUid = (): number | undefined => process.geteuid?.();

const isWritable = ({ mode, gid }: Stats): boolean => {
  if ((mode & sticky) !== 0) return false;
  // By convention, the group of a user that has no other members has the same number.
  const isOwnGroup = gid === 0 || gid === ownUid();
  return (mode & writableByAll) !== 0 || ((mode & writableByGroup) !== 0 && !isOwnGroup);
};

const isTrusted = async (uid: number): Promise<boolean> =>
  uid === 0 || uid === ownUid() || (uid === unmapped && !(await isMapped(uid)));

/** The owner that Linux shows inside a user namespace for files of accounts without an id there. Root is usually one of them. */
const unmapped = 65_534;

/** A line of `/proc/self/uid_map` has the first id inside the namespace, the matching id outside, and the number of ids. */
const isMapped = async (uid: number): Promise<boolean> => {
  const map = await readFile("/proc/self/uid_map", "utf8").catch(() => undefined);
  if (map === undefined) return true;
  return map.split("\n").some((line) => {
    const [first = NaN, , length = NaN] = line.trim().split(/\s+/).map(Number);
    return uid >= first && uid < first + length;
  });
};
