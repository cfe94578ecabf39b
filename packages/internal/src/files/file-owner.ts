import type { Stats } from "node:fs";

const groupWriteBit = 0o020;
const othersWriteBit = 0o002;

/** Returns the id of the account that this process acts for; undefined on Windows, whose files have no such owner and mode. */
const getCurrentUid = (): number | undefined => process.geteuid?.();

/** Returns whether a file belongs to an account other than this user and root; false on Windows. */
export const isForeignFile = ({ uid }: Stats): boolean =>
  getCurrentUid() !== undefined && uid !== getCurrentUid() && uid !== 0;

/** Returns whether an account other than this user and root can write to a file; false on Windows. */
export const isWritableByOthers = ({ mode, gid }: Stats): boolean => {
  if (getCurrentUid() === undefined) return false;
  // By convention, the group whose id equals the id of a user has this user as its only member.
  const isTrustedGroup = gid === getCurrentUid() || gid === 0;
  return (mode & othersWriteBit) !== 0 || ((mode & groupWriteBit) !== 0 && !isTrustedGroup);
};

/** Why a file is not read: it is a directory, a pipe, or a device; or another account could have written it. */
export type UntrustedFileReason = "not_regular_file" | "other_account";

/** The message is the reason in words, without the path: `it belongs to another account`. */
export class UntrustedFileError extends Error {
  constructor(
    message: string,
    readonly reason: UntrustedFileReason,
  ) {
    super(message);
  }
}

/**
 * @param stats the result of `lstat`, which does not follow a link.
 * @throws UntrustedFileError for a symbolic link of another account.
 */
export const assertTrustedLink = (stats: Stats): void => {
  if (stats.isSymbolicLink() && isForeignFile(stats)) {
    throw new UntrustedFileError("it is a symbolic link of another account", "other_account");
  }
};

/**
 * @param stats the result of `fstat` for the open file, so that the check is about the content that is read.
 * @throws UntrustedFileError unless this is a regular file that only this user and root can have written.
 */
export const assertTrustedFile = (stats: Stats): void => {
  if (!stats.isFile()) throw new UntrustedFileError("it is not a regular file", "not_regular_file");
  if (isForeignFile(stats)) throw new UntrustedFileError("it belongs to another account", "other_account");
  if (isWritableByOthers(stats))
    throw new UntrustedFileError("other accounts can write to it", "other_account");
};
