import { chmod, lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DataDir, directoryMode } from "./data-dir/data-dir.js";
import { ephemeralBase } from "./data-dir/directories.js";
import { DirectoryLock, holderLiveness, lockName } from "./data-dir/directory-lock.js";
import { findReplacementRisk } from "./data-dir/replacement-risk.js";
import { PlatformError, isDiskFull, platformErrors } from "../errors/platform-error.js";
import { endLeftovers } from "./postgres/leftovers.js";

export const ephemeralPrefix = "mgmt-ephemeral-";

/**
 * Creates a data directory that is removed on release. One that cannot be created in memory is created among the temporary files.
 *
 * @param memory directory of a file system in memory. Default: `/dev/shm`.
 * @throws PlatformError `platform:data_dir_unsafe` when another account could replace it; `platform:disk_full`,
 *   `platform:data_dir_unwritable`.
 */
export const makeEphemeralDir = async (memory?: string): Promise<DataDir> => {
  const base = await ephemeralBase(memory);
  const inMemory = base === tmpdir() ? undefined : await makeUniqueDir(base).catch(() => undefined);
  const { path, lock } = inMemory ?? (await makeUniqueDir(tmpdir()).catch(reportProblem));
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

const reportProblem = (error: unknown): never => {
  if (error instanceof PlatformError) throw error;
  throw isDiskFull(error)
    ? platformErrors.diskFull(tmpdir(), error)
    : platformErrors.temporaryDirUnwritable(tmpdir(), error);
};

const makeUniqueDir = async (parent: string): Promise<{ path: string; lock: DirectoryLock }> => {
  const base = await realpath(parent);
  const problem = await findReplacementRisk(base);
  if (problem !== undefined) throw platformErrors.temporaryDirUnsafe(base, problem);
  await sweepEphemeral(base);
  const path = await mkdtemp(join(base, ephemeralPrefix));
  await chmod(path, directoryMode());
  return { path, lock: await DirectoryLock.acquire(path) };
};

/** Age in milliseconds after which a directory without a lock belongs to an interrupted start. */
const abandonedAfterMs = 60_000;

/**
 * Removes the directories of ephemeral platforms that were killed together with their watchdogs. Leaves one whose process may
 * run, in another container that shares the directory.
 */
export const sweepEphemeral = async (base: string): Promise<void> => {
  const names = await readdir(base).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(ephemeralPrefix)) continue;
    const path = join(base, name);
    try {
      const stats = await lstat(path);
      if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) continue;
      const life = await holderLiveness(path);
      if (life === undefined) {
        const isInterrupted = Date.now() - stats.mtimeMs > abandonedAfterMs && (await hasOnlyLocks(path));
        if (isInterrupted) await rm(path, { recursive: true, force: true });
      } else if (life === "dead") {
        await endLeftovers(join(path, "postgres"));
        await rm(path, { recursive: true, force: true });
      }
    } catch {
      // Another process uses it, or is removing it.
    }
  }
};

/** Tells whether a directory contains nothing but the files of a start that was killed while it took the lock. */
const hasOnlyLocks = async (path: string): Promise<boolean> =>
  (await readdir(path)).every((name) => name.startsWith(lockName));
