import { createHash, randomUUID } from "node:crypto";
import { constants, realpathSync } from "node:fs";
import { access, mkdir, open } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, parse, relative, resolve } from "node:path";
import { describeCause } from "../errors/cli-error.js";
import {
  envFileOutsideError,
  secretNotWrittenError,
  trackedEnvFileError,
  unreadableRepositoryError,
} from "../errors/mcp-errors.js";
import { getStateFolder } from "../files/state-folder.js";
import { isWithinFolder } from "../files/is-within-folder.js";
import { findCommitRisk, isReadableByGit } from "../git/commit-risk.js";
import type { Context } from "../input/context.js";
import { assertVariableName } from "../input/variable-name.js";
import { assertEnvFileSettable, setEnvFileVariable } from "../working-directory/env-file.js";

/** The env file that a call writes a secret into, as its arguments name it. */
export interface EnvTargetArguments {
  /** Path in the workspace folder. Default: `.env`. */
  readonly envFile?: unknown;
  /** Name of the variable. Default: `DATABASE_URL`. */
  readonly envName?: unknown;
}

/** Where a secret was written, as a result reports it. */
export interface WrittenSecret {
  /** Path in the workspace folder. */
  readonly writtenTo: string;
  readonly envName: string;
  /** Whether the file had another value before, or none. */
  readonly changed: boolean;
  /** Present if git does not ignore the file, so that it may be committed. */
  readonly warning?: string;
}

/** The file that a connection string is written into unless the user names another one. */
export const defaultEnvFile = ".env";
/** The variable that a connection string is written into unless the user names another one. */
export const defaultEnvName = "DATABASE_URL";

/** Errors name the argument of the tool, and no path outside of the workspace folder. */
const naming = { argument: "envFile" } as const;

/** An env file that was checked before a secret is created. */
export interface EnvTarget {
  readonly path: string;
  readonly envName: string;
  /** Writes the secret. Throws `mcp:secret_not_written`; the secret is then in a file that the error names. */
  readonly write: (secret: string) => Promise<WrittenSecret>;
}

/**
 * Checks that a secret can be written into an env file: the file is in the workspace folder, no part of its path is a symbolic link, git
 * does not track it, and it can be written and read by programs.
 *
 * @param folder the workspace folder.
 * @throws `mcp:env_file_refused`, `mcp:env_file_tracked`, `mcp:repository_unreadable`, `env:unwritable`, `env:invalid`, `usage:invalid`, `variable:reserved`.
 */
export const openEnvTarget = async (
  { envFile = defaultEnvFile, envName = defaultEnvName }: EnvTargetArguments,
  folder: string,
  context: Pick<Context, "env" | "signal">,
): Promise<EnvTarget> => {
  const fileText = String(envFile);
  const name = String(envName);
  assertVariableName(name, "envName");
  const path = resolveEnvFile(fileText, folder);
  await access(dirname(path), constants.W_OK).catch((error: unknown) => {
    throw envFileOutsideError(fileText, `its folder cannot be written: ${describeCause(error)}`);
  });
  await assertEnvFileSettable(path, folder, naming);
  const risk = await findCommitRisk(path, context);
  if (risk === "tracked") throw trackedEnvFileError(fileText);
  if (risk === undefined && !(await isReadableByGit(path, context)))
    throw unreadableRepositoryError(fileText);
  const writtenTo = relative(folder, path);
  return {
    path,
    envName: name,
    write: async (secret) => {
      try {
        const set = () => setEnvFileVariable(path, name, secret, folder, { mode: 0o600, ...naming });
        const { hasChanged } = await runAlone(path, set, context);
        const warning = `Git does not ignore ${writtenTo}. Add it to .gitignore, so that the secret is not committed.`;
        return { writtenTo, envName: name, changed: hasChanged, ...(risk === "not_ignored" && { warning }) };
      } catch (error) {
        throw secretNotWrittenError(writtenTo, await writeRecoveryFile(name, secret, context), error);
      }
    },
  };
};

/** How long to wait for another server, in milliseconds. It holds the lock for as long as it writes the file. */
const lockTimeoutMs = 10_000;

/**
 * Runs `callback` while no other server changes the same file, which would lose the variable of one of them. Without a lock, because its folder
 * cannot be written, it runs in any case: the secret exists already.
 */
const runAlone = async <T>(
  path: string,
  callback: () => Promise<T>,
  { env }: Pick<Context, "env">,
): Promise<T> => {
  const folder = getStateFolder(env);
  const { withFileLock } = await import("../sdk/oauth.js");
  let hasBegun = false;
  const begin = (): Promise<T> => {
    hasBegun = true;
    return callback();
  };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lockPath = join(folder, `env-${createHash("sha256").update(path).digest("hex")}.lock`);
    return await withFileLock(lockPath, begin, { signal: AbortSignal.timeout(lockTimeoutMs) });
  } catch (error) {
    if (hasBegun) throw error;
    return callback();
  }
};

/** Returns the path of an env file. Throws `mcp:env_file_refused` if it leaves the workspace folder or is no env file. */
const resolveEnvFile = (envFile: string, folder: string): string => {
  const path = resolve(folder, envFile);
  if (isUnsafeFolder(folder)) {
    throw envFileOutsideError(
      envFile,
      `${folder} is no workspace folder. The user can start the server with --folder and the path of the project`,
    );
  }
  if (!isWithinFolder(folder, path) || path === folder)
    throw envFileOutsideError(envFile, "it is outside of the workspace folder");
  if (!/^(?:\.env(?:\.[\w-]+)*|[\w-]+\.env)$/.test(basename(path)))
    throw envFileOutsideError(envFile, "it does not have the name of an env file");
  return path;
};

/** Returns whether a folder contains more than one project: some clients start servers in the home folder, or in the root. */
const isUnsafeFolder = (folder: string): boolean => {
  const realFolder = realpathSync(folder);
  return realFolder === parse(realFolder).root || realFolder === homedir();
};

/** Keeps a secret that could not be written where it was to be. Returns the path, or undefined if that fails too. */
const writeRecoveryFile = async (
  name: string,
  secret: string,
  { env }: Pick<Context, "env">,
): Promise<string | undefined> => {
  const path = join(getStateFolder(env), `recovered-${randomUUID()}.env`);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, "wx", 0o600);
    await handle.writeFile(`${name}="${secret}"\n`).finally(() => handle.close());
    return path;
  } catch {
    return undefined;
  }
};
