import type { Stats } from "node:fs";
import {
  chmod,
  copyFile,
  cp,
  link,
  lstat,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { findOwnershipProblem } from "../data-dir/safe-file.js";

interface PackageLink {
  /** Both are relative to the package, such as `native/lib/libpq.so.5.18` and `native/lib/libpq.so.5`. */
  source: string;
  target: string;
}

/** Reads the links that the install script of the package creates, because npm packages cannot contain symbolic links. */
const readPackageLinks = async (nativeDirectory: string): Promise<PackageLink[]> => {
  const links: unknown = JSON.parse(await readFile(join(nativeDirectory, "pg-symlinks.json"), "utf8"));
  return Array.isArray(links) ? links.filter(isPackageLink) : [];
};

const isPackageLink = (value: unknown): value is PackageLink =>
  typeof value === "object" &&
  value !== null &&
  "source" in value &&
  typeof value.source === "string" &&
  "target" in value &&
  typeof value.target === "string";

/**
 * Creates the library links of the package, in case its install script has not run.
 *
 * @returns true when all links exist; false when one cannot be created, as in a directory that is not writable.
 */
export const createPackageLinks = async (nativeDirectory: string): Promise<boolean> => {
  for (const { source, target } of await readPackageLinks(nativeDirectory)) {
    try {
      await symlink(basename(source), join(dirname(nativeDirectory), target));
    } catch (error) {
      if (readErrorCode(error) !== "EEXIST") return false;
    }
  }
  return true;
};

/**
 * Copies the programs of the package to `baseDirectory`, unless an earlier call has done so. This is needed when the links cannot be
 * created in place, or when the account of Postgres cannot enter the directory. Uses hard links where possible.
 *
 * @returns the directory that contains the copied programs.
 * @throws Error when another account could have changed the copy.
 */
export const stagePrograms = async (
  nativeDirectory: string,
  baseDirectory: string,
  name: string,
): Promise<string> => {
  const stagedDirectory = join(baseDirectory, name);
  const binDirectory = join(stagedDirectory, "bin");
  if ((await stat(binDirectory).catch(() => undefined)) !== undefined) {
    await rejectForeignPrograms(stagedDirectory);
    return binDirectory;
  }

  const temporaryDirectory = await mkdtemp(`${stagedDirectory}.`);
  try {
    await stageDirectory(nativeDirectory, join(temporaryDirectory, "native"));
    await createPackageLinks(join(temporaryDirectory, "native"));
    await rename(join(temporaryDirectory, "native"), stagedDirectory);
  } catch (error) {
    // Another process has finished the same copy.
    if (!["ENOTEMPTY", "EEXIST"].includes(readErrorCode(error) ?? "")) throw error;
  } finally {
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
  await rejectForeignPrograms(stagedDirectory);
  return binDirectory;
};

const rejectForeignPrograms = async (stagedDirectory: string): Promise<void> => {
  const directories = [stagedDirectory, join(stagedDirectory, "bin"), join(stagedDirectory, "lib")];
  for (const directory of directories) {
    const stats = await lstat(directory).catch(() => undefined);
    if (stats === undefined) continue;
    throwIfProblem(directory, findOwnershipProblem(stats));
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      // The libraries have links to each other.
      if (entry.isSymbolicLink() && directory.endsWith("lib")) continue;
      const path = join(directory, entry.name);
      throwIfProblem(path, findProgramProblem(await lstat(path)));
    }
  }
};

const throwIfProblem = (path: string, problem: string | undefined): void => {
  if (problem !== undefined) throw new Error(`${path} cannot be trusted: ${problem}`);
};

/** Like `findOwnershipProblem`, but trusts root: a package that is installed for all accounts belongs to it. */
const findProgramProblem = (stats: Stats): string | undefined =>
  findOwnershipProblem(stats, stats.uid === 0 ? 0 : undefined);

/** These files are needed only to compile extensions. */
const isDeveloperFile = (name: string): boolean =>
  name.endsWith(".a") || name === "pkgconfig" || name === "pgxs";

const stageDirectory = async (sourceDirectory: string, targetDirectory: string): Promise<void> => {
  createDirectory(targetDirectory, 0o755);
  await chmod(targetDirectory, 0o755);
  for (const entry of await readdir(sourceDirectory, { withFileTypes: true })) {
    if (isDeveloperFile(entry.name)) continue;
    const [source, target] = [join(sourceDirectory, entry.name), join(targetDirectory, entry.name)];
    if (entry.isDirectory()) await stageDirectory(source, target);
    else if (entry.isSymbolicLink()) await cp(source, target, { verbatimSymlinks: true });
    else await stageFile(source, target);
  }
};

const stageFile = async (source: string, target: string): Promise<void> => {
  const stats = await lstat(source);
  const { mode } = stats;
  const isExecutable = (mode & 0o100) !== 0;
  const isReadableByAll = (mode & 0o444) === 0o444 && (!isExecutable || (mode & 0o111) === 0o111);
  // A hard link remains the file of the owner of the package, who could change it later.
  if (isReadableByAll && findProgramProblem(stats) === undefined) {
    try {
      await link(source, target);
      return;
    } catch {
      // Hard links do not work across file systems, and some kernels restrict them.
    }
  }
  await copyFile(source, target);
  await chmod(target, isExecutable ? 0o755 : 0o644);
};
