import { constants, type Stats } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { fileErrors } from "./file-errors.js";
import { isForeign, isWritableByOthers } from "@mgmt/internal/files/file-owner";

/**
 * Reads a file with a credential. Follows a symbolic link of this user, and checks the file that it has opened.
 *
 * @throws TokenStoreError `auth:store_unreadable` if it is not a regular file, or if an account other than this user and root could
 *   have written it; an error of the file system if it cannot be opened.
 */
export const readTrusted = async (file: string): Promise<string> => {
  const link = await lstat(file);
  if (link.isSymbolicLink() && isForeign(link)) {
    throw fileErrors.untrusted(file, "it is a symbolic link of another account");
  }
  // Opening a named pipe does not wait for its writer. Windows does not have the flag.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const problem = problemOf(await handle.stat());
    if (problem !== undefined) throw fileErrors.untrusted(file, problem);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
};

const problemOf = (stats: Stats): string | undefined => {
  if (!stats.isFile()) return "it is not a regular file";
  if (isForeign(stats)) return "it belongs to another account";
  return isWritableByOthers(stats) ? "other accounts can write to it" : undefined;
};
