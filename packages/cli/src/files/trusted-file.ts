import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { isForeign, isWritableByOthers } from "@mgmt/internal/files/file-owner";

/** The file is not read, because another account could have written it. */
export class UntrustedFileError extends Error {}

/**
 * Reads a file that decides where requests go and which credential they have. A symbolic link of this user is followed, because
 * dotfiles are often linked; the file that is opened is checked as well.
 *
 * @throws UntrustedFileError if an account other than this user and root could have written it; another error if it cannot be read
 *   or is not a regular file.
 */
export const readTrusted = (file: string): string => {
  if (lstatSync(file).isSymbolicLink() && isForeign(lstatSync(file))) {
    throw new UntrustedFileError("it is a symbolic link of another account");
  }
  // Opening a named pipe does not wait for its writer.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (isForeign(stats)) throw new UntrustedFileError("it belongs to another account");
    if (isWritableByOthers(stats)) throw new UntrustedFileError("other accounts can write to it");
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
};
