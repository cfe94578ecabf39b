import type { Preview } from "./preview.js";

/** The status of a preview's branch in git. */
export type GitBranchStatus =
  /** The branch that a worktree of this clone is on, or that the CI job runs for. */
  | "checked-out"
  /** In the git remote. */
  | "exists"
  /** No longer in the git remote. */
  | "gone"
  /** Never seen in the git remote. */
  | "not-pushed"
  /** The preview is one of another git repository. */
  | "other-repository"
  /** The preview was made without a git repository, or the remote was not asked. */
  | "unknown";

/** The state of a git repository, as far as it is known. */
export interface GitState {
  /** Its key, or undefined if there is none. */
  readonly repositoryKey: string | undefined;
  readonly checkedOutBranches: ReadonlySet<string>;
  /** The branches of its remote, or undefined if they are not known. */
  readonly remoteBranches: ReadonlySet<string> | undefined;
}

/** Returns the status of a preview's branch in a git repository. */
export const getGitBranchStatus = (
  branch: string,
  { repository, record }: Pick<Preview, "repository" | "record">,
  { repositoryKey, checkedOutBranches, remoteBranches }: GitState,
): GitBranchStatus => {
  if (repository !== null && repositoryKey !== undefined && repository !== repositoryKey)
    return "other-repository";
  if (checkedOutBranches.has(branch)) return "checked-out";
  if (repository === null || repositoryKey === undefined || !remoteBranches) return "unknown";
  if (remoteBranches.has(branch)) return "exists";
  return record.pushed ? "gone" : "not-pushed";
};
