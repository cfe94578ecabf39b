import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { assertTrustedFile, assertTrustedLink } from "./file-owner.js";

/** Opening a named pipe does not wait for its writer. Windows does not have the flag. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file that decides where requests go, or which credential they have. Follows a symbolic link of this user, because dotfiles are
 * often linked, and checks the file that it has opened.
 *
 * @throws UntrustedFileError if it is not a regular file, or if an account other than this user and root could have written it; an
 *   error of the file system if it cannot be read.
 */
export const readTrustedFile = async (path: string): Promise<string> => {
  assertTrustedLink(await lstat(path));
  const handle = await open(path, readFlags);
  try {
    assertTrustedFile(await handle.stat());
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
};
