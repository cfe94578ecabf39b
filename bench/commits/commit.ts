import { spawnSync } from "node:child_process";

/** Runs git in a repository. Returns its output, or undefined if it fails. */
const git = (repository: string, ...parameters: string[]): string | undefined => {
  const { status, stdout } = spawnSync("git", parameters, { cwd: repository, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
};

/** Returns the full hash of a commit, or undefined if the repository does not have it. */
export const findCommit = (repository: string, name: string): string | undefined =>
  git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`);

/** Returns whether the packages of the working tree are those of the present commit. */
export const packagesAreCommitted = (repository: string): boolean =>
  git(repository, "status", "--porcelain", "--", "packages", "package-lock.json") === "";

export interface Base {
  readonly commit: string;
  readonly reason: string;
}

/**
 * Chooses what the present commit is compared with: the first of these that is another commit. A clone in CI may have only the
 * last commit and no remote branch, so the result may be undefined.
 *
 * @param recorded The commit whose measurements are in the documentation.
 */
export const chooseBase = (repository: string, recorded: string | undefined): Base | undefined => {
  const head = findCommit(repository, "HEAD");
  const candidates: [string | undefined, string][] = [
    [git(repository, "merge-base", "HEAD", "origin/main"), "where this branch left origin/main"],
    [
      recorded === undefined ? undefined : ancestor(repository, recorded),
      "the commit that was measured last",
    ],
    [findCommit(repository, "HEAD~1"), "the commit before this one"],
  ];
  for (const [commit, reason] of candidates) {
    if (commit !== undefined && commit !== head) return { commit, reason };
  }
  return undefined;
};

const ancestor = (repository: string, name: string): string | undefined => {
  const commit = findCommit(repository, name);
  const isAncestor =
    commit !== undefined && git(repository, "merge-base", "--is-ancestor", commit, "HEAD") !== undefined;
  return isAncestor ? commit : undefined;
};
