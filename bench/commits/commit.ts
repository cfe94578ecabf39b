import { spawnSync } from "node:child_process";

/** Runs git in a repository. Returns its output, or undefined if it fails or prints nothing. */
const git = (repository: string, ...parameters: string[]): string | undefined => {
  const { status, stdout } = spawnSync("git", parameters, { cwd: repository, encoding: "utf8" });
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
};

/** Returns the full hash of a commit, or undefined if the repository does not have it. */
export const findCommit = (repository: string, name: string): string | undefined =>
  git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`);

/** Returns a commit with the tracked files of the working tree, which no branch has if they differ from the present commit. */
export const workingTreeCommit = (repository: string): string | undefined =>
  git(repository, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "stash", "create") ??
  findCommit(repository, "HEAD");

/** Returns the tracked files that differ from the present commit. @param paths pathspecs of git. */
export const listChanges = (repository: string, paths: readonly string[]): readonly string[] =>
  git(repository, "diff", "--name-only", "HEAD", "--", ...paths)?.split("\n") ?? [];

/**
 * Chooses what the present commit is compared with: the commit where the branch left `origin/main`, or else the previous one. A clone in
 * CI may have neither.
 */
export const chooseBase = (repository: string): string | undefined => {
  const left = git(repository, "merge-base", "HEAD", "origin/main");
  const isOther = left !== undefined && left !== findCommit(repository, "HEAD");
  return isOther ? left : findCommit(repository, "HEAD~1");
};
