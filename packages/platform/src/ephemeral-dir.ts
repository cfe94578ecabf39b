import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DataDir, directoryMode } from "./data-dir/data-dir.js";
import { ephemeralBase } from "./data-dir/directories.js";
import { DirectoryLock } from "./data-dir/lock.js";
import { whyReplaceable } from "./data-dir/parents.js";
import { PlatformError, isDiskFull, platformErrors } from "./errors/platform-error.js";
import { ephemeralPrefix, sweepEphemeral } from "./sweep.js";

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

const makeUniqueDir = async (given: string): Promise<{ path: string; lock: DirectoryLock }> => {
  const base = await realpath(given);
  const problem = await whyReplaceable(base);
  if (problem !== undefined) throw platformErrors.temporaryDirUnsafe(base, problem);
  await sweepEphemeral(base);
  const path = await mkdtemp(join(base, ephemeralPrefix));
  await chmod(path, directoryMode());
  return { path, lock: await DirectoryLock.acquire(path) };
};
