import { causeText, CliError } from "../errors/cli-error.js";
import { gitFailed, noGitBranches } from "../errors/preview-errors.js";
import { firstLine, hasFetched, rootFolder } from "./clone.js";
import { type Place, readRepository, runOutside, type Setting } from "./run-git.js";

/** How long to wait for a remote when its response is useful but not needed. */
const patienceMs = 10_000;

/**
 * Returns whether a branch is, or has been, in a remote. False also if the remote cannot be reached.
 *
 * @param remote Name or address.
 */
export const isPushed = async (branch: string, remote: string, place: Place): Promise<boolean> => {
  if (await hasFetched(branch, remote, place)) return true;
  try {
    return (await listHeads(remote, [`refs/heads/${branch}`], place, patienceMs)).trim() !== "";
  } catch {
    place.signal.throwIfAborted();
    return false;
  }
};

/**
 * Returns the branches of a remote.
 *
 * @param remote Name or address.
 * @throws `preview:no_git`; `preview:git_failed`; `preview:no_git_branches` if there are none, because then every branch would
 *   seem to be deleted.
 */
export const remoteBranches = async (remote: string, place: Place): Promise<ReadonlySet<string>> => {
  let output: string;
  try {
    output = await listHeads(remote, [], place);
  } catch (error) {
    place.signal.throwIfAborted();
    throw error instanceof CliError ? error : gitFailed(problemOf(error));
  }
  const names = [...output.matchAll(/\trefs\/heads\/(.+)$/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw noGitBranches(withoutUser(remote));
  return new Set(names);
};

/** Lists the branches of a remote, with no program that the repository of the folder names. */
const listHeads = async (
  remote: string,
  patterns: readonly string[],
  place: Place,
  timeout?: number,
): Promise<string> => {
  const [cwd, address = remote, settings, unattended] = await Promise.all([
    rootFolder(place),
    firstLine(["remote", "get-url", "--", remote], place),
    forwardedSettings(place),
    unattendedSettings(place),
  ]);
  const args = ["ls-remote", "--heads", "--", address, ...patterns];
  return runOutside(args, { ...place, cwd }, { settings: [...settings, ...unattended], timeout });
};

/** Settings with which CI systems let a clone reach its remote, and which name no program or file. */
const forwarded = String.raw`^http\.(.*\.)?(extraheader|proxy)$`;

/** Returns those settings of the repository, which git does not read outside of it. */
const forwardedSettings = async (place: Place): Promise<readonly Setting[]> => {
  try {
    const args = ["config", "--null", "--show-scope", "--get-regexp", forwarded];
    const fields = (await readRepository(args, place)).split("\0");
    return fields.flatMap((scope, index) => {
      if (index % 2 === 1 || (scope !== "local" && scope !== "worktree")) return [];
      const [name = "", ...value] = fields[index + 1]?.split("\n") ?? [];
      return [[name, value.join("\n")] as const];
    });
  } catch {
    // There are none.
    place.signal.throwIfAborted();
    return [];
  }
};

/** Returns the setting that keeps ssh from asking for a passphrase, unless the user has chosen how ssh is called. */
const unattendedSettings = async (place: Place): Promise<readonly Setting[]> => {
  const { env } = place;
  if (env["GIT_SSH_COMMAND"] !== undefined || env["GIT_SSH"] !== undefined) return [];
  try {
    await runOutside(["config", "--get", "core.sshCommand"], place);
    return [];
  } catch {
    place.signal.throwIfAborted();
    return [["core.sshCommand", "ssh -o BatchMode=yes"]];
  }
};

/** Returns the message of git without addresses, which may contain a password. */
const problemOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const text = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  return withoutUser(text.split("\n")[0] || causeText(error));
};

const withoutUser = (text: string): string => text.replaceAll(/\/\/[^/\s]*@/g, "//");
