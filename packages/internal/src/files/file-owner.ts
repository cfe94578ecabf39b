import type { Stats } from "node:fs";

const writableByGroup = 0o020;
const writableByAll = 0o002;

/** Returns undefined on Windows, whose files have no such owner and mode. */
const ownUid = (): number | undefined => process.geteuid?.();

/** Whether a file belongs to an account other than this user and root. */
export const isForeign = ({ uid }: Stats): boolean => ownUid() !== undefined && uid !== ownUid() && uid !== 0;

/** Whether an account other than this user and root can write to a file. */
export const isWritableByOthers = ({ mode, gid }: Stats): boolean => {
  if (ownUid() === undefined) return false;
  // By convention, the group of a user that has no other members has the same number.
  const isOwnGroup = gid === ownUid() || gid === 0;
  return (mode & writableByAll) !== 0 || ((mode & writableByGroup) !== 0 && !isOwnGroup);
};
