import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { platformErrors } from "../../errors/platform-error.js";

/** Write permission of the group or of others. */
const writableByOthers = 0o022;

/**
 * Returns why another account could have created or changed this file or directory; undefined when none could.
 *
 * @param owner the account that should own it. Default: this account.
 */
export const findOwnershipProblem = (stats: Stats, owner = process.geteuid?.()): string | undefined => {
  const typeProblem = findFileTypeProblem(stats);
  if (typeProblem !== undefined) return typeProblem;
  if (stats.uid !== owner) return "it belongs to another account";
  return (stats.mode & writableByOthers) === 0 ? undefined : "other accounts can write to it";
};

/** Returns why this is neither a directory nor a regular file; undefined when it is one. */
export const findFileTypeProblem = (stats: Stats): string | undefined => {
  if (stats.isSymbolicLink()) return "it is a symbolic link";
  return stats.isDirectory() || stats.isFile() ? undefined : "it is neither a file nor a directory";
};

/** Returns why writing to a file would change a file elsewhere. */
export const findHardLinkProblem = (stats: Stats): string | undefined =>
  stats.isFile() && stats.nlink > 1
    ? "it is a hard link, so writing to it would change a file elsewhere"
    : undefined;

/**
 * Opens a regular file of this account. Neither follows a symbolic link nor waits for the other end of a named pipe.
 *
 * @param flags the flags of `open`. A new file has mode 0600.
 * @throws PlatformError `platform:data_dir_unsafe`, or the error of the system.
 */
export const openOwnedFile = async (path: string, flags: number): Promise<FileHandle> => {
  const file = await openRegularFile(path, flags);
  try {
    const problem = findOwnershipProblem(await file.stat());
    if (problem !== undefined) throw platformErrors.dataDirUnsafe(path, problem);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
};

/** Reads a regular file of this account as text. Throws the errors of `openOwnedFile`. */
export const readOwnedFile = async (path: string): Promise<string> =>
  readAndClose(await openOwnedFile(path, constants.O_RDONLY));

/** Reads a regular file in the cluster, which may belong to the account that runs Postgres. */
export const readRegularFile = async (path: string): Promise<string> =>
  readAndClose(await openRegularFile(path, constants.O_RDONLY));

const readAndClose = async (file: FileHandle): Promise<string> => {
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
};

const openRegularFile = async (path: string, flags: number): Promise<FileHandle> => {
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw platformErrors.dataDirUnsafe(path, "it is not a regular file");
};
