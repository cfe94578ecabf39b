import { constants, type Stats } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { join } from "node:path";
import { platformErrors, systemErrorCode } from "../platform-error.js";

/** Permission to write for the group or for everybody. */
const writableByOthers = 0o022;

/**
 * Refuses a data directory that another account could have prepared or can change, because the platform trusts what is in
 * it: links, directories and files of another account, and ones that others can write.
 *
 * @param clusterName name of the Postgres cluster, which may belong to the account that runs Postgres.
 * @param names names of the other files in it.
 * @throws PlatformError `platform:data_dir_unsafe`, or the error of the system when the directory cannot be read.
 */
export const refuseForeign = async (
  dataDir: string,
  clusterName: string,
  names: readonly string[],
): Promise<void> => {
  const problem = problemOf(await lstat(dataDir));
  // A directory that cannot be written is not a danger, and has an error that says so.
  if (problem !== undefined) {
    await access(dataDir, constants.W_OK);
    throw platformErrors.dataDirUnsafe(dataDir, problem);
  }
  for (const name of [clusterName, ...names]) {
    const path = join(dataDir, name);
    const found = await lstat(path).catch((error: unknown) => {
      if (systemErrorCode(error) === "ENOENT") return undefined;
      throw error;
    });
    const inside = found && (name === clusterName ? linkProblem(found) : problemOf(found));
    if (inside !== undefined) throw platformErrors.dataDirUnsafe(path, inside);
  }
};

const problemOf = (found: Stats): string | undefined => {
  const link = linkProblem(found);
  if (link !== undefined) return link;
  if (found.uid !== process.geteuid?.()) return "it belongs to another account";
  return (found.mode & writableByOthers) === 0 ? undefined : "other accounts can write to it";
};

const linkProblem = (found: Stats): string | undefined => {
  if (found.isSymbolicLink()) return "it is a symbolic link";
  return found.isDirectory() || found.isFile() ? undefined : "it is neither a file nor a directory";
};
