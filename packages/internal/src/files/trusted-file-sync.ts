import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { assertTrustedFile, assertTrustedLink } from "./file-owner.js";

/** Opening a named pipe does not wait for its writer. Windows does not have the flag. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads a file like `readTrustedFile`, synchronously. */
export const readTrustedFileSync = (path: string): string => {
  assertTrustedLink(lstatSync(path));
  const descriptor = openSync(path, readFlags);
  try {
    assertTrustedFile(fstatSync(descriptor));
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
};
