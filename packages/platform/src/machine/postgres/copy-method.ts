import { constants } from "node:fs";
import { copyFile, lstat, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildTemporaryPath, removeUnfinishedFiles } from "../data-dir/atomic-file.js";
import type { SystemAccount } from "../data-dir/postgres-account.js";
import type { Binaries } from "./binaries.js";
import { getDataDirectoryParameter } from "./cluster.js";
import { runProgram } from "./run-program.js";

/**
 * How Postgres copies the files of a database: `clone` shares their blocks until one of the two changes them. See
 * https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-FILE-COPY-METHOD
 */
export type CopyMethod = "clone" | "copy";

/** The first version that can clone files. */
const minCloneMajor = 18;

/** A small file that every cluster has. */
const sampleName = "PG_VERSION";

/**
 * Returns the best way to copy files in the directory of a cluster. Tries it, because XFS, for example, can clone files only where it was
 * made so, and a directory may have been copied to another file system since the last start.
 */
export const chooseCopyMethod = async (
  directory: string,
  binaries: Binaries,
  account: SystemAccount | undefined,
): Promise<CopyMethod> => {
  if (binaries.major < minCloneMajor) return "copy";
  await removeUnfinishedFiles(directory, [sampleName]);
  const canClone =
    (await canCloneFiles(directory)) && (await acceptsCloneSetting(directory, binaries, account));
  return canClone ? "clone" : "copy";
};

const canCloneFiles = async (directory: string): Promise<boolean> => {
  const sample = join(directory, sampleName);
  const clone = buildTemporaryPath(sample);
  try {
    // Opening a pipe would wait for its other end.
    if (!(await lstat(sample)).isFile()) return false;
    await copyFile(sample, clone, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    await rm(clone, { force: true });
  }
};

/** Returns whether this Postgres was built with the system call that clones files. Otherwise it would refuse to start with the setting. */
const acceptsCloneSetting = async (
  directory: string,
  binaries: Binaries,
  account: SystemAccount | undefined,
): Promise<boolean> => {
  const dataDirectory = getDataDirectoryParameter(directory, binaries, account);
  const { status } = await runProgram(
    join(binaries.directory, "postgres"),
    ["-D", dataDirectory, "-c", "file_copy_method=clone", "-C", "file_copy_method"],
    { account, cwd: directory },
  );
  return status === 0;
};
