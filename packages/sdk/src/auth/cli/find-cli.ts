import { lstatSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { cliErrors } from "./cli-errors.js";
import { isForeignFile, isWritableByOthers } from "@mgmt/internal/files/file-owner";
import { isProgram, listProgramFolders } from "@mgmt/internal/programs/program-files";

/** A program and the arguments that come before its own. */
export interface CliProgram {
  readonly file: string;
  readonly args: readonly string[];
}

const cliScriptPath = join("@mgmt", "cli", "dist", "mgmt.js");

/**
 * Finds the CLI: the program that is passed, else the package that this module would import, else `mgmt` in an absolute folder of the
 * `PATH`. Nothing is looked for from the working directory upwards, where others may have put a package of that name.
 *
 * @throws AuthError `auth:cli_failed` if it is missing, or the program is not a file with an absolute path.
 */
export const findCli = (program: string | undefined): CliProgram => {
  if (program !== undefined) {
    if (!isAbsolute(program) || !entryExists(program)) throw cliErrors.invalidProgramPath();
    return /\.[cm]?js$/.test(program) ? toNodeProgram(program) : { file: program, args: [] };
  }
  const { installedPath, untrustedPath } = findCliPackage();
  if (installedPath !== undefined) return toNodeProgram(installedPath);
  const folders = listProgramFolders(process.env);
  if (process.platform !== "win32") {
    const file = folders.map((folder) => join(folder, "mgmt")).find(isProgram);
    if (file === undefined) throw cliErrors.commandNotFound(untrustedPath);
    return { file, args: [] };
  }
  // npm installs a script there, which only a shell can run. The program that it runs is beside it.
  const globalScript = folders.map((folder) => join(folder, "node_modules", cliScriptPath)).find(entryExists);
  if (globalScript === undefined) throw cliErrors.commandNotFound(untrustedPath);
  return toNodeProgram(globalScript);
};

const toNodeProgram = (path: string): CliProgram => ({ file: process.execPath, args: [path] });

interface CliPackageSearch {
  readonly installedPath?: string | undefined;
  /** The nearest package that another account could have put there. */
  readonly untrustedPath?: string | undefined;
}

/** Finds the package in the folders in which Node.js looks for the imports of this module. */
const findCliPackage = (): CliPackageSearch => {
  // A bundle in the format of CommonJS has no address.
  const url: string | undefined = import.meta.url;
  if (!url?.startsWith("file:")) return {};
  const thisModulePath = fileURLToPath(url);
  const require = createRequire(thisModulePath);
  const candidates = (require.resolve.paths(cliScriptPath) ?? [])
    .map((folder) => ({ folder, path: join(folder, cliScriptPath) }))
    .filter(({ path }) => entryExists(path));
  // Who can write there can also change the running program.
  const isTrusted = ({ folder, path }: { folder: string; path: string }): boolean =>
    thisModulePath.startsWith(folder + sep) || isProtectedWithAncestors(path);
  const trustedCandidate = candidates.find(isTrusted);
  return {
    installedPath: trustedCandidate?.path ?? resolveCliPackage(require, candidates.length),
    untrustedPath: trustedCandidate ? undefined : candidates[0]?.path,
  };
};

/** Asks a resolver that has replaced the one of Node.js, such as Yarn's, which has no folders of packages. */
const resolveCliPackage = (require: NodeJS.Require, candidateCount: number): string | undefined => {
  if (candidateCount > 0 || process.versions["pnp"] === undefined) return undefined;
  try {
    return join(dirname(require.resolve("@mgmt/cli/package.json")), "dist", "mgmt.js");
  } catch {
    return undefined;
  }
};

/** Returns whether a path exists. A symbolic link exists even if its target does not. */
const entryExists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Returns whether only this user and root can change a file, a link on the way to it, and the folders above both. */
const isProtectedWithAncestors = (filePath: string): boolean => {
  try {
    return [filePath, realpathSync(filePath)].every((path) =>
      listSelfAndAncestors(path).every(isProtectedPath),
    );
  } catch {
    return false;
  }
};

const listSelfAndAncestors = (path: string): string[] => {
  const folder = dirname(path);
  return folder === path ? [path] : [path, ...listSelfAndAncestors(folder)];
};

const stickyModeBit = 0o1000;

const isProtectedPath = (path: string): boolean => {
  const stats = lstatSync(path);
  if (isForeignFile(stats)) return false;
  // The mode of a link means nothing. In a sticky folder, no one can replace files of another account.
  return stats.isSymbolicLink() || (stats.mode & stickyModeBit) !== 0 || !isWritableByOthers(stats);
};
