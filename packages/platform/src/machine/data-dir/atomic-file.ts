import { randomBytes } from "node:crypto";
import { open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { replaceAtomically } from "@mgmt/internal/files/replace-atomically";
import { syncFile } from "@mgmt/internal/files/sync-file";
import { isRunningAsRoot } from "./postgres-account.js";

/** How a file is written. */
export interface WriteOptions {
  /** Syncs the file and its directory, so that the write survives a power failure. */
  isDurable: boolean;
}

/**
 * Writes a file atomically, with mode 0600. When run by root, the file gets the owner of its directory.
 */
export const writeAtomically = async (
  path: string,
  text: string,
  { isDurable }: WriteOptions,
): Promise<void> => {
  const directory = dirname(path);
  await replaceAtomically(path, buildTemporaryPath(path), async (handle) => {
    if (isRunningAsRoot()) {
      const { uid, gid } = await stat(directory);
      await handle.chown(uid, gid);
    }
    await handle.writeFile(text);
    if (isDurable) await syncFile(handle);
  });
  if (isDurable) await syncDirectory(directory);
};

/** Returns a new temporary name beside `path`. `removeUnfinishedFiles` removes the file if a killed process leaves it behind. */
export const buildTemporaryPath = (path: string): string => `${path}.${randomBytes(6).toString("hex")}.tmp`;

const temporarySuffixPattern = /^\.[0-9a-f]{12}\.tmp$/;

/**
 * Removes the temporary files and directories that a process left because it was killed while it wrote one of these names.
 * Nothing else may be writing to the directory.
 */
export const removeUnfinishedFiles = async (directory: string, names: readonly string[]): Promise<void> => {
  for (const fileName of await readdir(directory)) {
    if (isUnfinishedFile(fileName, names))
      await rm(join(directory, fileName), { recursive: true, force: true });
  }
};

/** Returns whether `buildTemporaryPath` built this name for one of these names. */
export const isUnfinishedFile = (fileName: string, names: readonly string[]): boolean =>
  names.some((name) => fileName.startsWith(name) && temporarySuffixPattern.test(fileName.slice(name.length)));

/** Makes the names of the files in a directory survive a power failure. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, "r");
  try {
    await syncFile(handle);
  } finally {
    await handle.close();
  }
};

/** Codes of errors about directories that this account cannot have changed, or that cannot be synced. */
const unsyncableCodes: ReadonlySet<string | undefined> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "EINVAL",
  "ENOTSUP",
]);

/** Makes the names of a new directory and of its parents, which may be new too, survive a power failure. */
export const syncParents = async (path: string): Promise<void> => {
  const parent = dirname(path);
  if (parent === path) return;
  try {
    await syncDirectory(parent);
  } catch (error) {
    if (!unsyncableCodes.has(readErrorCode(error))) throw error;
  }
  await syncParents(parent);
};
