import { lstat, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegular } from "../data-dir/own-file.js";
import type { Account } from "../data-dir/account.js";
import type { Binaries } from "./binaries.js";
import { runProgram } from "./run-program.js";

/**
 * Extensions that the owner of a database may create although their packages leave that to the superuser. Postgres runs the script of such
 * an extension as the superuser, with objects of the owner in reach, so each of them is one whose script was read: it only makes objects.
 */
const allowed = ["vector"];

/** The first version with `extension_control_path`. */
const firstMajor = 18;

/** A folder below the cluster, whose name Postgres prescribes. */
const folder = "extension";

export interface ExtensionsContext {
  binaries: Binaries;
  account: Account | undefined;
  /** Directory of the cluster. */
  directory: string;
}

/**
 * Lets owners of databases create the allowed extensions that the Postgres of this machine has: writes copies of their control files, which
 * call them trusted, to the directory of the cluster.
 *
 * See https://www.postgresql.org/docs/current/extend-extensions.html#EXTEND-EXTENSIONS-FILES-TRUSTED
 *
 * @returns whether there are any.
 */
export const allowExtensions = async (context: ExtensionsContext): Promise<boolean> => {
  const { binaries, account, directory } = context;
  if (binaries.major < firstMajor) return false;
  const controls = await controlsIn(await sourceOf(binaries));
  const isCurrent = await Promise.all(
    [...controls].map(async ([file, text]) => {
      return (await readRegular(join(directory, folder, file)).catch(() => undefined)) === text;
    }),
  );
  const names = await readdir(join(directory, folder)).catch(() => []);
  if (isCurrent.every(Boolean) && names.length === controls.size) return controls.size > 0;
  // As the account of Postgres, which owns the directory and could replace the folder by a link.
  const steps = [...controls].map(
    ([file, text]) => `printf %s ${quote(text)} >${quote(`${folder}/${file}`)}`,
  );
  const script = ["umask 077", `rm -rf ${folder}`, `mkdir ${folder}`, ...steps].join(" && ");
  const { status } = await runProgram("/bin/sh", ["-c", script], { account, cwd: directory });
  return status === 0 && controls.size > 0;
};

/** Returns the contents of the control files by name. */
const controlsIn = async (source: string | undefined): Promise<Map<string, string>> => {
  const controls = new Map<string, string>();
  if (source === undefined) return controls;
  for (const name of allowed) {
    const file = `${name}.control`;
    const text = await readFile(join(source, file), "utf8").catch(() => undefined);
    if (text !== undefined) controls.set(file, trusted(text, source));
  }
  return controls;
};

/** Returns the folder with the control files and the scripts of the extensions; undefined when it is not found. */
const sourceOf = async ({ directory }: Binaries): Promise<string | undefined> => {
  const program = join(directory, "pg_config");
  const isThere = (await lstat(program).catch(() => undefined)) !== undefined;
  // The npm package has no such program.
  const share = isThere
    ? (await runProgram(program, ["--sharedir"])).stdout.trim()
    : join(directory, "..", "share", "postgresql");
  const source = join(share, folder);
  // Every Postgres has this extension.
  const isSource = (await lstat(join(source, "plpgsql.control")).catch(() => undefined)) !== undefined;
  return isSource ? source : undefined;
};

/** Returns the text of a control file that calls its extension trusted. Of two lines for a parameter, Postgres uses the last. */
const trusted = (text: string, source: string): string =>
  `${text.trimEnd()}\ntrusted = true\ndirectory = '${source.replaceAll("'", "''")}'\n`;

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
