import { describeCause, CliError } from "../errors/cli-error.js";
import { gitFailedError, noGitBranchesError } from "../errors/preview-errors.js";
import { readFirstLine, hasFetchedBranch, resolveRootFolder } from "./clone.js";
import { type GitEnvironment, runInRepository, runOutsideRepository, type GitSetting } from "./run-git.js";

/** How long to wait for a remote when its response is useful but not needed. */
const remoteTimeoutMs = 10_000;

/**
 * Returns whether a branch is, or has been, in a remote. False also if the remote cannot be reached.
 *
 * @param remote name or URL.
 */
export const isBranchPushed = async (
  branch: string,
  remote: string,
  environment: GitEnvironment,
): Promise<boolean> => {
  if (await hasFetchedBranch(branch, remote, environment)) return true;
  try {
    return (
      (await readRemoteHeads(remote, [`refs/heads/${branch}`], environment, remoteTimeoutMs)).trim() !== ""
    );
  } catch {
    environment.signal.throwIfAborted();
    return false;
  }
};

/**
 * Returns the branches of a remote.
 *
 * @param remote name or URL.
 * @throws `preview:no_git`; `preview:git_failed`; `preview:no_git_branches` if there are none, because then every branch would
 *   seem to be deleted.
 */
export const listRemoteBranches = async (
  remote: string,
  environment: GitEnvironment,
): Promise<ReadonlySet<string>> => {
  let output: string;
  try {
    output = await readRemoteHeads(remote, [], environment);
  } catch (error) {
    environment.signal.throwIfAborted();
    throw error instanceof CliError ? error : gitFailedError(describeGitError(error));
  }
  const names = [...output.matchAll(/\trefs\/heads\/(.+)$/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw noGitBranchesError(removeUserInfo(remote));
  return new Set(names);
};

/** Lists the branches of a remote, with no program that the repository of the folder names. */
const readRemoteHeads = async (
  remote: string,
  patterns: readonly string[],
  environment: GitEnvironment,
  timeoutMs?: number,
): Promise<string> => {
  const [cwd, remoteUrl = remote, settings, sshSettings] = await Promise.all([
    resolveRootFolder(environment),
    readFirstLine(["remote", "get-url", "--", remote], environment),
    readForwardedSettings(environment),
    readUnattendedSettings(environment),
  ]);
  const args = ["ls-remote", "--heads", "--", remoteUrl, ...patterns];
  return runOutsideRepository(
    args,
    { ...environment, cwd },
    { settings: [...settings, ...sshSettings], timeout: timeoutMs },
  );
};

/** Settings with which CI systems let a clone reach its remote, and which name no program or file. */
const forwardedSettingPattern = String.raw`^http\.(.*\.)?(extraheader|proxy)$`;

/** Returns those settings of the repository, which git does not read outside of it. */
const readForwardedSettings = async (environment: GitEnvironment): Promise<readonly GitSetting[]> => {
  try {
    const args = ["config", "--null", "--show-scope", "--get-regexp", forwardedSettingPattern];
    const fields = (await runInRepository(args, environment)).split("\0");
    return fields.flatMap((scope, index) => {
      if (index % 2 === 1 || (scope !== "local" && scope !== "worktree")) return [];
      const [name = "", ...value] = fields[index + 1]?.split("\n") ?? [];
      return [[name, value.join("\n")] as const];
    });
  } catch {
    // There are none.
    environment.signal.throwIfAborted();
    return [];
  }
};

/** Returns the setting that keeps ssh from asking for a passphrase, unless the user has chosen how ssh is called. */
const readUnattendedSettings = async (environment: GitEnvironment): Promise<readonly GitSetting[]> => {
  const { env } = environment;
  if (env["GIT_SSH_COMMAND"] !== undefined || env["GIT_SSH"] !== undefined) return [];
  try {
    await runOutsideRepository(["config", "--get", "core.sshCommand"], environment);
    return [];
  } catch {
    environment.signal.throwIfAborted();
    return [["core.sshCommand", "ssh -o BatchMode=yes"]];
  }
};

/** Returns the message of git without URLs, which may contain a password. */
const describeGitError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const stderrText = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  return removeUserInfo(stderrText.split("\n")[0] || describeCause(error));
};

const removeUserInfo = (text: string): string => text.replaceAll(/\/\/[^/\s]*@/g, "//");
