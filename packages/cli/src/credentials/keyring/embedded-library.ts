import { createHash } from "node:crypto";
import { join } from "node:path";
import { makeDirectory } from "@mgmt/internal/files/make-directory";
import { keyringNotLoaded } from "../../errors/storage-errors.js";
import { cacheFolder, isOwnFolder, readOwn, writeWhole } from "../../files/own-cache.js";
import { embeddedBytes } from "../../system/standalone.js";

type Library = Pick<typeof import("@napi-rs/keyring"), "AsyncEntry">;

/**
 * Loads the library that the standalone program contains. Systems load libraries only from files, so it is kept in one among the
 * caches of the user. Throws `keyring:not_installed`.
 */
export const loadEmbeddedLibrary = (): Library => {
  const folder = cacheFolder(process.env, "native");
  try {
    const library = { exports: {} };
    process.dlopen(library, storedIn(folder));
    // The build embeds the library of this package.
    return library.exports as Library;
  } catch (error) {
    throw keyringNotLoaded(folder, error);
  }
};

/** Returns the file with the library. Writes it unless it is there, unchanged. */
const storedIn = (folder: string): string => {
  const content = embeddedBytes("keyring.node");
  const hash = createHash("sha256").update(content).digest("hex");
  const file = join(folder, `keyring-${hash.slice(0, 16)}.node`);
  if (!isOwnFolder(folder)) throw new Error(`${folder} belongs to another user, or others can write it`);
  if (!readOwn(file)?.equals(content)) {
    makeDirectory(folder);
    writeWhole(file, content);
  }
  return file;
};
