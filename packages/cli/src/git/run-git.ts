import { execFile } from "node:child_process";
import { devNull } from "node:os";
import { promisify } from "node:util";
import type { Context } from "../input/context.js";
import { noGitError } from "../errors/preview-errors.js";
import { findProgram, buildProgramEnvironment } from "../system/find-program.js";
import { keyboardSignals } from "../system/foreground.js";
import { throwIfInterrupted } from "../system/shared-interrupt.js";
import { CliError } from "../errors/cli-error.js";

/** A folder, and the environment that git runs in. */
export type GitEnvironment = Pick<Context, "cwd" | "env" | "signal">;

/** A setting of git, with its value. */
export type GitSetting = readonly [name: string, value: string];

/**
 * Settings that keep a folder from running programs, and win over its own. Any folder can be a git repository: the folder of an unpacked
 * archive, or one with the files of a bare repository, which every clone may contain.
 */
const protectiveSettings: readonly GitSetting[] = [
  ["safe.bareRepository", "explicit"],
  ["protocol.ext.allow", "never"],
  ["core.fsmonitor", "false"],
  ["core.hooksPath", devNull],
];

/** Prompts are disabled. Messages are in English, and objects that are missing are not fetched. */
const fixedVariables = {
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  LC_ALL: "C",
  GIT_NO_LAZY_FETCH: "1",
};

/** Variables with which git finds the settings of the user and of the system, and the owner of a folder. */
const neededVariablePattern =
  /^(?:PATH|NODEFAULTCURRENTDIRECTORYINEXEPATH|HOME|XDG_CONFIG_HOME|USER|LOGNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|PROGRAMDATA|SYSTEMROOT|TEMP|TMP|TMPDIR|SUDO_UID|GIT_CONFIG_\w+|GIT_CEILING_DIRECTORIES|GIT_DISCOVERY_ACROSS_FILESYSTEM)$/i;

/** Variables of git that specify how the user reaches remotes. Others choose a repository, or print a trace. */
const remoteVariablePattern =
  /^GIT_(?:CONFIG_\w+|SSH\w*|ASKPASS|HTTP_\w+|SSL_\w+|PROXY_\w+|ALLOW_PROTOCOL|EXEC_PATH)$/i;

/**
 * Reads from the repository of a folder. No command may reach a remote, for which the repository could name programs.
 *
 * @throws `preview:no_git`; the error of Node.js if git fails, with its exit status as the code.
 */
export const runInRepository = (args: readonly string[], environment: GitEnvironment): Promise<string> => {
  const env = selectVariables(buildProgramEnvironment(environment.env), (name) =>
    neededVariablePattern.test(name),
  );
  return runGit(args, { ...environment, env });
};

/**
 * Runs git outside of any repository, with the settings of the user and of the system: no program, server or file that a repository
 * names is used.
 *
 * @param settings more settings.
 * @param timeout in milliseconds. Default: none.
 * @throws errors of `runInRepository`.
 */
export const runOutsideRepository = (
  args: readonly string[],
  environment: GitEnvironment,
  {
    settings = [],
    timeout,
  }: { readonly settings?: readonly GitSetting[]; readonly timeout?: number | undefined } = {},
): Promise<string> => {
  const env = selectVariables(
    buildProgramEnvironment(environment.env),
    (name) => !name.toUpperCase().startsWith("GIT_") || remoteVariablePattern.test(name),
  );
  const { GIT_ALLOW_PROTOCOL: protocols } = env;
  // The variable overrides the settings of individual protocols.
  if (protocols !== undefined) env["GIT_ALLOW_PROTOCOL"] = removeProtocol("ext", protocols);
  return runGit(args, { ...environment, env: { ...addSettings(settings, env), GIT_DIR: devNull } }, timeout);
};

const runGit = async (
  args: readonly string[],
  { cwd, env, signal }: GitEnvironment,
  timeoutMs?: number,
): Promise<string> => {
  const path = findProgram("git", env);
  if (path === undefined) throw noGitError();
  const settingArguments = protectiveSettings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const options = {
    cwd,
    env: { ...env, ...fixedVariables },
    signal,
    timeout: timeoutMs,
    maxBuffer: 64 * 2 ** 20,
  };
  try {
    return (await promisify(execFile)(path, [...settingArguments, ...args], options)).stdout;
  } catch (error) {
    if (wasKilledBySignal(error)) await throwIfInterrupted(signal);
    throw error;
  }
};

const wasKilledBySignal = (error: unknown): boolean =>
  error instanceof Error && "signal" in error && keyboardSignals.some((signal) => signal === error.signal);

/** Adds settings in variables, because other users on this machine can read arguments. */
const addSettings = (settings: readonly GitSetting[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const count = env["GIT_CONFIG_COUNT"] ?? "";
  // Git rejects any other count.
  const firstIndex = /^\d{1,9}$/.test(count) ? Number(count) : 0;
  const addedVariables = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${String(firstIndex + index)}`, name],
    [`GIT_CONFIG_VALUE_${String(firstIndex + index)}`, value],
  ]);
  return {
    ...env,
    ...Object.fromEntries(addedVariables),
    GIT_CONFIG_COUNT: String(firstIndex + settings.length),
  };
};

const selectVariables = (env: NodeJS.ProcessEnv, isIncluded: (name: string) => boolean): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isIncluded(name)));

const removeProtocol = (protocol: string, protocols: string): string =>
  protocols
    .split(":")
    .filter((part) => part !== protocol)
    .join(":");

/** Returns why git does not answer, given the error of a call of it. Throws anything else, such as an interruption. */
export const toGitProblem = (error: unknown, { signal }: Pick<Context, "signal">): CliError => {
  if (!(error instanceof CliError) || signal.aborted) throw error;
  return error;
};
