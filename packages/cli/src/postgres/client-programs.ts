import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { CliError } from "../errors/cli-error.js";
import type { Context } from "../input/context.js";
import { clientTooOldError } from "../errors/postgres-errors.js";
import { programNotFoundError } from "../errors/program-errors.js";
import { expandVersionPattern, defaultSystemDirectories } from "@mgmt/internal/programs/default-directories";
import { listProgramFolders } from "@mgmt/internal/programs/program-files";
import { toProgramFileName } from "../system/find-program.js";

/** A program of Postgres that connects to databases. */
export type ClientName = "psql" | "pg_dump" | "pg_restore";

/** A client program of Postgres, such as `psql`, that is installed on this machine. */
export interface ClientProgram {
  readonly name: ClientName;
  /** Absolute path. */
  readonly path: string;
  /** The version that the program reports, for example `18.4`. */
  readonly version: string;
  /** The major version, for example `18`. */
  readonly major: number;
}

/** A version of Postgres as text, and its major version. */
export type PostgresVersion = Pick<ClientProgram, "version" | "major">;

/** Where to look for programs next: the folders of servers, which have the clients too, and the folders of clients alone. */
const defaultFolders: readonly string[] = [
  ...defaultSystemDirectories,
  "/opt/homebrew/opt/libpq/bin",
  "/usr/local/opt/libpq/bin",
  "C:/Program Files/PostgreSQL/*/bin",
];

/**
 * Finds a client program of Postgres that supports a server: one of the server's version, or else the oldest that is newer, because the
 * output of a newer one may have settings that the server does not know. Of several with the same version, it is the first in `PATH`, in
 * the folder of `MGMT_POSTGRES`, or where the system has them.
 *
 * @param serverVersion version of the server, which the program must not be older than. Default: any, and the first program is taken.
 * @param folders patterns of folders to search after these.
 * @throws `program:not_found`; `program:too_old` if each one found is older than the server.
 */
export const requireClientProgram = async (
  name: ClientName,
  { env }: Pick<Context, "env">,
  serverVersion?: PostgresVersion,
  folders: readonly string[] = defaultFolders,
): Promise<ClientProgram> => {
  const otherPrograms: ClientProgram[] = [];
  for await (const candidate of listCandidates(name, env, folders)) {
    if (!serverVersion || candidate.major === serverVersion.major) return candidate;
    otherPrograms.push(candidate);
  }
  otherPrograms.sort((left, right) => left.major - right.major);
  const oldestNewerProgram = otherPrograms.find(({ major }) => major >= (serverVersion?.major ?? 0));
  if (oldestNewerProgram) return oldestNewerProgram;
  // The message names the first program in `PATH` that has the newest version.
  const newestProgram = otherPrograms.find(({ major }) => major === otherPrograms.at(-1)?.major);
  if (newestProgram && serverVersion) throw clientTooOldError(newestProgram, serverVersion);
  throw noClientProgramError(name);
};

/**
 * Finds the newest client program of Postgres, which reads the archives of all versions before it.
 *
 * @param folders patterns of folders to search after `PATH` and the folder of `MGMT_POSTGRES`.
 * @throws `program:not_found`.
 */
export const requireNewestClientProgram = async (
  name: ClientName,
  { env }: Pick<Context, "env">,
  folders: readonly string[] = defaultFolders,
): Promise<ClientProgram> => {
  let newestProgram: ClientProgram | undefined;
  for await (const candidate of listCandidates(name, env, folders)) {
    if (!newestProgram || candidate.major > newestProgram.major) newestProgram = candidate;
  }
  if (!newestProgram) throw noClientProgramError(name);
  return newestProgram;
};

const noClientProgramError = (name: ClientName): CliError =>
  programNotFoundError(
    name,
    "Install the client programs of Postgres: postgresql-client on Debian and Ubuntu, libpq with Homebrew.",
  );

const listCandidates = async function* (
  name: ClientName,
  env: NodeJS.ProcessEnv,
  patterns: readonly string[],
): AsyncGenerator<ClientProgram> {
  const seenPaths = new Set<string>();
  const serverFolder = env["MGMT_POSTGRES"] ?? "";
  const exactFolders = [...listProgramFolders(env), ...(isAbsolute(serverFolder) ? [serverFolder] : [])];
  for (const pattern of [...exactFolders, ...patterns]) {
    const isPattern = pattern.includes("*") && !exactFolders.includes(pattern);
    for (const folder of isPattern ? await expandVersionPattern(pattern) : [pattern]) {
      const path = join(folder, toProgramFileName(name));
      if (seenPaths.has(path)) continue;
      seenPaths.add(path);
      const version = await readProgramVersion(path);
      if (version) yield { name, path, ...version };
    }
  }
};

/** Returns the version of a program, or undefined if it does not run. */
const readProgramVersion = async (path: string): Promise<PostgresVersion | undefined> => {
  try {
    await access(path, constants.X_OK);
  } catch {
    return undefined;
  }
  const versionOutput = await new Promise<string>((resolve) => {
    execFile(path, ["--version"], { env: { LC_ALL: "C" } }, (error, stdout) => resolve(error ? "" : stdout));
  });
  const [, version, major] = /PostgreSQL\) ((\d+)\S*)/.exec(versionOutput) ?? [];
  return version === undefined ? undefined : { version, major: Number(major) };
};
