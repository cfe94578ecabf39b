import { lstat, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegularFile } from "../data-dir/safe-file.js";
import type { SystemAccount } from "../data-dir/postgres-account.js";
import type { Binaries } from "./binaries.js";
import { runProgram } from "./run-program.js";

/**
 * Extensions that the owner of a database may create although their packages leave that to the superuser. Postgres runs the script of such
 * an extension as the superuser, with objects of the owner in reach, so each of them is one whose script was read: it only makes objects.
 */
const trustedExtensions = ["vector"];

/** The first version with `extension_control_path`. */
const minControlPathMajor = 18;

/** A directory below the cluster, whose name Postgres prescribes. */
const extensionFolder = "extension";

export interface ExtensionsContext {
  binaries: Binaries;
  account: SystemAccount | undefined;
  /** Directory of the cluster. */
  directory: string;
}

/**
 * Lets database owners create the allowed extensions that the installed Postgres has: writes copies of their control files, which call them
 * trusted, to the directory of the cluster.
 *
 * See https://www.postgresql.org/docs/current/extend-extensions.html#EXTEND-EXTENSIONS-FILES-TRUSTED
 *
 * @returns whether there are any.
 */
export const allowExtensions = async (context: ExtensionsContext): Promise<boolean> => {
  const { binaries, account, directory } = context;
  if (binaries.major < minControlPathMajor) return false;
  const controlFiles = await readControlFiles(await findExtensionFolder(binaries));
  const areCurrent = await Promise.all(
    [...controlFiles].map(async ([name, text]) => {
      return (await readRegularFile(join(directory, extensionFolder, name)).catch(() => undefined)) === text;
    }),
  );
  const existingFiles = await readdir(join(directory, extensionFolder)).catch(() => []);
  if (areCurrent.every(Boolean) && existingFiles.length === controlFiles.size) return controlFiles.size > 0;
  // The account of Postgres runs the commands, because it owns the cluster and could replace the directory by a link.
  const writeCommands = [...controlFiles].map(
    ([name, text]) => `printf %s ${quoteForShell(text)} >${quoteForShell(`${extensionFolder}/${name}`)}`,
  );
  const script = [
    "umask 077",
    `rm -rf ${extensionFolder}`,
    `mkdir ${extensionFolder}`,
    ...writeCommands,
  ].join(" && ");
  const { status } = await runProgram("/bin/sh", ["-c", script], { account, cwd: directory });
  return status === 0 && controlFiles.size > 0;
};

/** Returns the contents of the control files by name. */
const readControlFiles = async (sourceFolder: string | undefined): Promise<Map<string, string>> => {
  const controlFiles = new Map<string, string>();
  if (sourceFolder === undefined) return controlFiles;
  for (const name of trustedExtensions) {
    const fileName = `${name}.control`;
    const text = await readFile(join(sourceFolder, fileName), "utf8").catch(() => undefined);
    if (text !== undefined) controlFiles.set(fileName, addTrustedFlag(text, sourceFolder));
  }
  return controlFiles;
};

/** Returns the directory with the control files and the scripts of the extensions; undefined when it is not found. */
const findExtensionFolder = async ({ directory }: Binaries): Promise<string | undefined> => {
  const program = join(directory, "pg_config");
  const hasPgConfig = (await lstat(program).catch(() => undefined)) !== undefined;
  // The npm package has no such program.
  const shareDirectory = hasPgConfig
    ? (await runProgram(program, ["--sharedir"])).stdout.trim()
    : join(directory, "..", "share", "postgresql");
  const sourceFolder = join(shareDirectory, extensionFolder);
  // Every Postgres has this extension.
  const isExtensionFolder =
    (await lstat(join(sourceFolder, "plpgsql.control")).catch(() => undefined)) !== undefined;
  return isExtensionFolder ? sourceFolder : undefined;
};

/** Returns the text of a control file that calls its extension trusted. Of two lines for a parameter, Postgres uses the last. */
const addTrustedFlag = (text: string, sourceFolder: string): string =>
  `${text.trimEnd()}\ntrusted = true\ndirectory = '${sourceFolder.replaceAll("'", "''")}'\n`;

const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
