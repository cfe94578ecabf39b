import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import type { Context } from "../input/context.js";
import { notInGitHubActionsError, unwritableVariableFileError } from "../errors/secret-errors.js";
import { usageError } from "../errors/usage-errors.js";
import { assertOutputName, assertVariableName } from "../input/variable-name.js";
import type { VariableFlags } from "./secret-flags.js";

/** A variable, and the open file that it is written into. */
export interface VariableFile {
  readonly path: string;
  /** Permissions of the file. */
  readonly mode: number;
  /** Whether the CI system made the file for the job. */
  readonly isCreatedByCi: boolean;
  /** The message when it was written. */
  readonly successMessage: string;
  /** Writes it. Throws an error of the file system if that fails. */
  set(value: string): Promise<void>;
  close(): Promise<void>;
}

type FormatAssignment = (name: string, value: string) => string;

/**
 * Opens the files of all flags. Call it before secrets are created, because they may be returned only once.
 *
 * @throws `github:not_running`, `usage:invalid`, `variable:reserved`, and `variable:unwritable`.
 */
export const openVariableFiles = async (
  flags: VariableFlags,
  { env, cwd }: Pick<Context, "env" | "cwd">,
): Promise<VariableFile[]> => {
  const files: VariableFile[] = [];
  try {
    for (const assignment of listAssignments(flags, { env, cwd })) {
      const { path, name, successMessage, format, isCreatedByCi } = assignment;
      files.push({
        ...(await openForAppending(resolve(cwd, path), name, format)),
        successMessage,
        isCreatedByCi,
      });
    }
  } catch (error) {
    await Promise.all(files.map((file) => file.close()));
    throw error;
  }
  return files;
};

/** A variable that a flag sets in a file. */
interface VariableAssignment extends Pick<VariableFile, "successMessage" | "isCreatedByCi"> {
  readonly path: string;
  readonly name: string;
  readonly format: FormatAssignment;
}

const listAssignments = (
  { githubEnv, githubOutput, gitlabDotenv }: VariableFlags,
  { env, cwd }: Pick<Context, "env" | "cwd">,
): VariableAssignment[] => {
  const assignments: VariableAssignment[] = [];
  if (githubEnv !== undefined) {
    assertVariableName(githubEnv, "--github-env");
    const successMessage = `Set ${githubEnv} for the following steps of the job.`;
    assignments.push({
      path: requireGithubFilePath("GITHUB_ENV", "--github-env", env),
      name: githubEnv,
      successMessage,
      format: formatMultilineAssignment,
      isCreatedByCi: true,
    });
  }
  if (githubOutput !== undefined) {
    assertOutputName(githubOutput, "--github-output");
    const successMessage = `Set the output ${githubOutput} of the step.`;
    const path = requireGithubFilePath("GITHUB_OUTPUT", "--github-output", env);
    assignments.push({
      path,
      name: githubOutput,
      successMessage,
      format: formatMultilineAssignment,
      isCreatedByCi: true,
    });
  }
  if (gitlabDotenv !== undefined) {
    const [, name = "DATABASE_URL", path = gitlabDotenv] = /^(\w+)=(.*)$/s.exec(gitlabDotenv) ?? [];
    assertVariableName(name, "--gitlab-dotenv");
    if (path === "" || path === "-") {
      throw usageError(
        "--gitlab-dotenv needs the path of a file",
        "Pass NAME=PATH with the path that the job has in artifacts:reports:dotenv, such as DATABASE_URL=database.env.",
      );
    }
    const successMessage = `Set ${name} in ${resolve(cwd, path)}.`;
    assignments.push({
      path,
      name,
      successMessage,
      format: formatDotenvLine,
      isCreatedByCi: false,
    });
  }
  return assignments;
};

const requireGithubFilePath = (variable: string, flag: string, env: NodeJS.ProcessEnv): string => {
  const path = env[variable];
  if (!path) throw notInGitHubActionsError(flag, variable);
  return path;
};

/** Appends, because earlier commands may have set other variables. Does not follow a symbolic link. */
const openForAppending = async (
  path: string,
  name: string,
  format: FormatAssignment,
): Promise<Omit<VariableFile, "successMessage" | "isCreatedByCi">> => {
  const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDWR } = constants;
  let handle: FileHandle;
  let mode: number;
  try {
    // Without O_NONBLOCK, opening a named pipe waits for its reader.
    handle = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const stats = await handle.stat();
    mode = stats.mode & 0o777;
    if (!stats.isFile()) {
      await handle.close();
      throw new Error("it is not a regular file");
    }
  } catch (error) {
    throw unwritableVariableFileError(path, error);
  }
  return {
    path,
    mode,
    async set(value) {
      const separator = (await lacksFinalLineBreak(handle)) ? "\n" : "";
      await handle.appendFile(`${separator}${format(name, value)}`);
    },
    close: () => handle.close(),
  };
};

/** Returns whether the last line of a file has no line break. */
const lacksFinalLineBreak = async (handle: FileHandle): Promise<boolean> => {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 10;
};

/**
 * Returns an assignment between two lines with a delimiter. The delimiter is random, so that no value can contain it, end early, and set
 * other variables.
 */
const formatMultilineAssignment: FormatAssignment = (name, value) => {
  const delimiter = `mgmt_${randomUUID()}`;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
};

/** Returns a line of a dotenv report. The format has no quotes, escapes, or values of several lines: everything after `=` is the value. */
const formatDotenvLine: FormatAssignment = (name, value) => {
  if (!/[\r\n"']|^\s|\s$/.test(value)) return `${name}=${value}\n`;
  throw new Error("a dotenv report cannot contain a value with quotes or line breaks");
};
