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
import { errorCode } from "@mgmt/internal/errors/error-code";
import { makeDirectory } from "@mgmt/internal/files/make-directory";
import { findOwnershipProblem } from "../data-dir/safe-file.js";

interface MissingLink {
  /** Both are relative to the package, such as `native/lib/libpq.so.5.18` and `native/lib/libpq.so.5`. */
  source: string;
  target: string;
}

/** Reads the links that the install script of the package creates, because npm packages cannot contain symbolic links. */
const readMissingLinks = async (native: string): Promise<MissingLink[]> => {
  const links: unknown = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8"));
  return Array.isArray(links) ? links.filter(isMissingLink) : [];
};

const isMissingLink = (value: unknown): value is MissingLink =>
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
export const completeLinks = async (native: string): Promise<boolean> => {
  for (const { source, target } of await readMissingLinks(native)) {
    try {
      await symlink(basename(source), join(dirname(native), target));
    } catch (error) {
      if (errorCode(error) !== "EEXIST") return false;
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
export const stagePrograms = async (native: string, base: string, name: string): Promise<string> => {
  const staged = join(base, name);
  const binDirectory = join(staged, "bin");
  if ((await stat(binDirectory).catch(() => undefined)) !== undefined) {
    await refuseForeignPrograms(staged);
    return binDirectory;
  }

  const temporary = await mkdtemp(`${staged}.`);
  try {
    await stageDirectory(native, join(temporary, "native"));
    await completeLinks(join(temporary, "native"));
    await rename(join(temporary, "native"), staged);
  } catch (error) {
    // Another process has finished the same copy.
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  await refuseForeignPrograms(staged);
  return binDirectory;
};

const refuseForeignPrograms = async (staged: string): Promise<void> => {
  const directories = [staged, join(staged, "bin"), join(staged, "lib")];
  for (const directory of directories) {
    const stats = await lstat(directory).catch(() => undefined);
    if (stats === undefined) continue;
    refuse(directory, findOwnershipProblem(stats));
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      // The libraries have links to each other.
      if (entry.isSymbolicLink() && directory.endsWith("lib")) continue;
      const path = join(directory, entry.name);
      refuse(path, foreignProgramProblem(await lstat(path)));
    }
  }
};

const refuse = (path: string, problem: string | undefined): void => {
  if (problem !== undefined) throw new Error(`${path} cannot be trusted: ${problem}`);
};

/** Like `findOwnershipProblem`, but trusts root: a package that is installed for all accounts belongs to it. */
const foreignProgramProblem = (stats: Stats): string | undefined =>
  findOwnershipProblem(stats, stats.uid === 0 ? 0 : undefined);

/** These files are needed only to compile extensions. */
const isForDevelopers = (name: string): boolean =>
  name.endsWith(".a") || name === "pkgconfig" || name === "pgxs";

const stageDirectory = async (from: string, to: string): Promise<void> => {
  makeDirectory(to, 0o755);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (isForDevelopers(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await stageDirectory(source, target);
    else if (entry.isSymbolicLink()) await cp(source, target, { verbatimSymlinks: true });
    else await stageFile(source, target);
  }
};

const stageFile = async (source: string, target: string): Promise<void> => {
  const stats = await lstat(source);
  const { mode } = stats;
  const executable = (mode & 0o100) !== 0;
  const readableByAll = (mode & 0o444) === 0o444 && (!executable || (mode & 0o111) === 0o111);
  // A hard link remains the file of the owner of the package, who could change it later.
  if (readableByAll && foreignProgramProblem(stats) === undefined) {
    try {
      await link(source, target);
      return;
    } catch {
      // Hard links do not work across file systems, and some kernels restrict them.
    }
  }
  await copyFile(source, target);
  await chmod(target, executable ? 0o755 : 0o644);
};
