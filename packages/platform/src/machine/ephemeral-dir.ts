import { chmod, lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findReplacementRisk } from "@mgmt/internal/files/replacement-risk";
import { type DataDir, getDirectoryMode } from "./data-dir/data-dir.js";
import { chooseEphemeralParent } from "./data-dir/directories.js";
import { DirectoryLock, readHolderLiveness, lockFileName } from "./data-dir/directory-lock.js";
import { PlatformError, isCausedByFullDisk, platformErrors } from "../errors/platform-error.js";
import { stopOrphanedServers } from "./postgres/orphaned-processes.js";

/** How the names of data directories begin that are deleted when their server ends. */
export const ephemeralDirPrefix = "mgmt-ephemeral-";

/**
 * Creates a data directory that is removed on release. One that cannot be created in memory is created among the temporary files.
 *
 * @param memoryDirectory directory of a file system in memory. Default: `/dev/shm`.
 * @throws PlatformError `platform:data_dir_unsafe` when another account could replace it; `platform:disk_full`,
 *   `platform:data_dir_unwritable`.
 */
export const createEphemeralDir = async (memoryDirectory?: string): Promise<DataDir> => {
  const parent = await chooseEphemeralParent(memoryDirectory);
  const memoryDir = parent === tmpdir() ? undefined : await createUniqueDir(parent).catch(() => undefined);
  const { path, lock } = memoryDir ?? (await createUniqueDir(tmpdir()).catch(throwCreationError));
  return {
    path,
    ephemeral: true,
    manifest: undefined,
    lock,
    release: async () => {
      await rm(path, { recursive: true, force: true });
      await lock.release();
    },
  };
};

const throwCreationError = (error: unknown): never => {
  if (error instanceof PlatformError) throw error;
  throw isCausedByFullDisk(error)
    ? platformErrors.diskFull(tmpdir(), error)
    : platformErrors.temporaryDirUnwritable(tmpdir(), error);
};

const createUniqueDir = async (parent: string): Promise<{ path: string; lock: DirectoryLock }> => {
  const realParent = await realpath(parent);
  const problem = await findReplacementRisk(realParent);
  if (problem !== undefined) throw platformErrors.temporaryDirUnsafe(realParent, problem);
  await removeAbandonedEphemeralDirs(realParent);
  const path = await mkdtemp(join(realParent, ephemeralDirPrefix));
  await chmod(path, getDirectoryMode());
  return { path, lock: await DirectoryLock.acquire(path) };
};

/** Age in milliseconds after which a directory without a lock belongs to an interrupted start. */
const directoryAbandonedAfterMs = 60_000;

/**
 * Removes the directories of ephemeral platforms that were killed together with their watchdogs. Leaves one whose process may
 * run, in another container that shares the directory.
 */
export const removeAbandonedEphemeralDirs = async (parent: string): Promise<void> => {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(ephemeralDirPrefix)) continue;
    const path = join(parent, name);
    try {
      const stats = await lstat(path);
      if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) continue;
      const liveness = await readHolderLiveness(path);
      if (liveness === undefined) {
        const isInterrupted =
          Date.now() - stats.mtimeMs > directoryAbandonedAfterMs && (await hasOnlyLockFiles(path));
        if (isInterrupted) await rm(path, { recursive: true, force: true });
      } else if (liveness === "dead") {
        await stopOrphanedServers(join(path, "postgres"));
        await rm(path, { recursive: true, force: true });
      }
    } catch {
      // Another process uses it, or is removing it.
    }
  }
};

/** Returns whether a directory contains nothing but the files of a start that was killed while it took the lock. */
const hasOnlyLockFiles = async (path: string): Promise<boolean> =>
  (await readdir(path)).every((name) => name.startsWith(lockFileName));
