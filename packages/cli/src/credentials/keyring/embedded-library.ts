import { createHash } from "node:crypto";
import { join } from "node:path";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { keyringNotLoadedError } from "../../errors/storage-errors.js";
import {
  getCacheFolder,
  isProtectedFolder,
  readOwnedFile,
  writeFileAtomically,
} from "../../files/cache-folder.js";
import { readEmbeddedBytes } from "../../system/standalone.js";

type KeyringLibrary = Pick<typeof import("@napi-rs/keyring"), "AsyncEntry">;

/**
 * Loads the library that the standalone program contains. Systems load libraries only from files, so it is kept in one among the
 * caches of the user. Throws `keyring:not_installed`.
 */
export const loadEmbeddedLibrary = (): KeyringLibrary => {
  const folder = getCacheFolder(process.env, "native");
  try {
    const library = { exports: {} };
    process.dlopen(library, ensureLibraryFile(folder));
    // The build embeds the library of this package.
    return library.exports as KeyringLibrary;
  } catch (error) {
    throw keyringNotLoadedError(folder, error);
  }
};

/** Returns the file with the library. Writes it unless it is there, unchanged. */
const ensureLibraryFile = (folder: string): string => {
  const content = readEmbeddedBytes("keyring.node");
  const hash = createHash("sha256").update(content).digest("hex");
  const path = join(folder, `keyring-${hash.slice(0, 16)}.node`);
  if (!isProtectedFolder(folder))
    throw new Error(`${folder} belongs to another user, or others can write it`);
  if (!readOwnedFile(path)?.equals(content)) {
    createDirectory(folder);
    writeFileAtomically(path, content);
  }
  return path;
};
