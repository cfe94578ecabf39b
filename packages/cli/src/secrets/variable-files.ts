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
  readonly isOfSystem: boolean;
  /** The message when it was written. */
  readonly done: string;
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
  { githubEnv, githubOutput, gitlabDotenv }: VariableFlags,
  { env, cwd }: Pick<Context, "env" | "cwd">,
): Promise<VariableFile[]> => {
  const targets: {
    path: string;
    name: string;
    done: string;
    format: FormatAssignment;
    isOfSystem: boolean;
  }[] = [];
  if (githubEnv !== undefined) {
    assertVariableName(githubEnv, "--github-env");
    const done = `Set ${githubEnv} for the following steps of the job.`;
    targets.push({
      path: requireGithubFile("GITHUB_ENV", "--github-env", env),
      name: githubEnv,
      done,
      format: formatMultiline,
      isOfSystem: true,
    });
  }
  if (githubOutput !== undefined) {
    assertOutputName(githubOutput, "--github-output");
    const done = `Set the output ${githubOutput} of the step.`;
    const path = requireGithubFile("GITHUB_OUTPUT", "--github-output", env);
    targets.push({ path, name: githubOutput, done, format: formatMultiline, isOfSystem: true });
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
    const done = `Set ${name} in ${resolve(cwd, path)}.`;
    targets.push({ path, name, done, format: formatDotenvLine, isOfSystem: false });
  }
  const files: VariableFile[] = [];
  try {
    for (const { path, name, done, format, isOfSystem } of targets) {
      files.push({ ...(await openForAppending(resolve(cwd, path), name, format)), done, isOfSystem });
    }
  } catch (error) {
    await Promise.all(files.map((file) => file.close()));
    throw error;
  }
  return files;
};

const requireGithubFile = (variable: string, flag: string, env: NodeJS.ProcessEnv): string => {
  const path = env[variable];
  if (!path) throw notInGitHubActionsError(flag, variable);
  return path;
};

/** Appends, because earlier commands may have set other variables. Does not follow a symbolic link. */
const openForAppending = async (
  path: string,
  name: string,
  format: FormatAssignment,
): Promise<Omit<VariableFile, "done" | "isOfSystem">> => {
  const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDWR } = constants;
  let file: FileHandle;
  let mode: number;
  try {
    // Without O_NONBLOCK, opening a named pipe waits for its reader.
    file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const stats = await file.stat();
    mode = stats.mode & 0o777;
    if (!stats.isFile()) {
      await file.close();
      throw new Error("it is not a regular file");
    }
  } catch (error) {
    throw unwritableVariableFileError(path, error);
  }
  return {
    path,
    mode,
    async set(value) {
      const separator = (await lacksFinalLineBreak(file)) ? "\n" : "";
      await file.appendFile(`${separator}${format(name, value)}`);
    },
    close: () => file.close(),
  };
};

/** Whether the last line of a file has no line break. */
const lacksFinalLineBreak = async (file: FileHandle): Promise<boolean> => {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 10;
};

/** The delimiter is random, so that no value can end early and set other variables. */
const formatMultiline: FormatAssignment = (name, value) => {
  const delimiter = `mgmt_${randomUUID()}`;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
};

/** A dotenv report has no quotes, escapes, or values of several lines: the rest after `=` is the value. */
const formatDotenvLine: FormatAssignment = (name, value) => {
  if (!/[\r\n"']|^\s|\s$/.test(value)) return `${name}=${value}\n`;
  throw new Error("a dotenv report cannot contain a value with quotes or line breaks");
};
