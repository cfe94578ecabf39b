import { constants, type Stats } from "node:fs";
import { access, lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { findReplacementRisk } from "@mgmt/internal/files/replacement-risk";
import { platformErrors } from "../../errors/platform-error.js";
import { isRunningAsRoot } from "./postgres-account.js";
import { findOwnershipProblem, findHardLinkProblem, findFileTypeProblem } from "./safe-file.js";

/**
 * Rejects a path at which another account could replace the data directory.
 *
 * @throws PlatformError `platform:data_dir_unsafe`.
 */
export const rejectForeignParents = async (dataDir: string): Promise<void> => {
  const problem = await findReplacementRisk(dirname(dataDir));
  if (problem !== undefined) throw platformErrors.dataDirUnsafe(dataDir, problem);
};

export interface CheckedNames {
  /** The Postgres cluster, which may belong to the account that runs Postgres. */
  cluster: string;
  /** Files that are written in place. */
  writtenInPlace: readonly string[];
  /** Directories whose files are checked as well. */
  directories: readonly string[];
  otherFiles: readonly string[];
  /** Names of files whose content is not used, so that they are not checked. */
  ignoredPattern: RegExp;
}

/**
 * Rejects a data directory that another account could have prepared or can change, because the platform trusts the files in it: links,
 * directories and files of another account, and ones that others can write.
 *
 * @throws PlatformError `platform:data_dir_unsafe`, or the error of the system when the directory cannot be read.
 */
export const rejectForeign = async (
  dataDir: string,
  { cluster, writtenInPlace, directories, otherFiles, ignoredPattern }: CheckedNames,
): Promise<void> => {
  const problem = findOwnershipProblem(await lstat(dataDir));
  // A directory that cannot be written is not a danger, and has an error of its own.
  if (problem !== undefined) {
    await access(dataDir, constants.W_OK);
    throw platformErrors.dataDirUnsafe(dataDir, problem);
  }
  // If this process runs as root, the cluster belongs to the account that runs Postgres. The owner is checked when that account is known.
  await rejectProblem(join(dataDir, cluster), isRunningAsRoot() ? findFileTypeProblem : findOwnershipProblem);
  const checkedNames = [...writtenInPlace, ...directories, ...otherFiles];
  // With the files that belong to them, such as `platform.lock.removal` and `postgres.log.1`.
  for (const name of await readdir(dataDir)) {
    if (
      ignoredPattern.test(name) ||
      !checkedNames.some((checkedName) => name === checkedName || name.startsWith(`${checkedName}.`))
    )
      continue;
    const path = join(dataDir, name);
    await rejectProblem(path, findOwnershipProblem);
    if (writtenInPlace.includes(name)) await rejectProblem(path, findHardLinkProblem);
    if (!directories.includes(name)) continue;
    for (const innerName of await readdir(path))
      await rejectProblem(join(path, innerName), findOwnershipProblem);
  }
};

const rejectProblem = async (
  path: string,
  findProblem: (stats: Stats) => string | undefined,
): Promise<void> => {
  const stats = await lstat(path).catch((error: unknown) => {
    if (readErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  const problem = stats && findProblem(stats);
  if (problem !== undefined) throw platformErrors.dataDirUnsafe(path, problem);
};
