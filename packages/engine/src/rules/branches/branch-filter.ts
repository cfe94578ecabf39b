import { errors } from "../../values/errors.js";

interface BranchFilters {
  /** The id of a branch, or `unassigned`. */
  branchId?: string | undefined;
  branchGitName?: string | undefined;
}

/** @throws RequestError 422 `validation:failed` when both filters are given. */
export const assertOneBranchFilter = ({ branchId, branchGitName }: BranchFilters): void => {
  if (branchId !== undefined && branchGitName !== undefined) {
    throw errors.validationFailed([
      { path: "query/branchGitName", message: "cannot be combined with branchId" },
    ]);
  }
};

/** Returns the condition for a list with these filters. */
export const toBranchLookup = ({ branchId, branchGitName }: BranchFilters) => ({
  branchId: branchId === "unassigned" ? null : branchId,
  branchGitName,
});
