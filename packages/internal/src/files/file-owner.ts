import type { Stats } from "node:fs";

const writableByGroup = 0o020;
const writableByAll = 0o002;

/** Returns undefined on Windows, whose files have no such owner and mode. */
const getCurrentUid = (): number | undefined => process.geteuid?.();

/** Whether a file belongs to an account other than this user and root. */
export const isForeignFile = ({ uid }: Stats): boolean =>
  getCurrentUid() !== undefined && uid !== getCurrentUid() && uid !== 0;

/** Whether an account other than this user and root can write to a file. */
export const isWritableByOthers = ({ mode, gid }: Stats): boolean => {
  if (getCurrentUid() === undefined) return false;
  // By convention, the group of a user that has no other members has the same number.
  const isTrustedGroup = gid === getCurrentUid() || gid === 0;
  return (mode & writableByAll) !== 0 || ((mode & writableByGroup) !== 0 && !isTrustedGroup);
};

/** The file is not read, because it is not a regular file, or because another account could have written it. */
export class UntrustedFileError extends Error {
  /** @param isRegular whether it is a regular file, or a link to one. */
  constructor(
    message: string,
    readonly isRegular: boolean,
  ) {
    super(message);
  }
}

/** Throws `UntrustedFileError` for a symbolic link of another account. */
export const assertTrustedLink = (stats: Stats): void => {
  if (stats.isSymbolicLink() && isForeignFile(stats)) {
    throw new UntrustedFileError("it is a symbolic link of another account", true);
  }
};

/** Throws `UntrustedFileError` unless this is a regular file that only this user and root can have written. */
export const assertTrustedFile = (stats: Stats): void => {
  if (!stats.isFile()) throw new UntrustedFileError("it is not a regular file", false);
  if (isForeignFile(stats)) throw new UntrustedFileError("it belongs to another account", true);
  if (isWritableByOthers(stats)) throw new UntrustedFileError("other accounts can write to it", true);
};
