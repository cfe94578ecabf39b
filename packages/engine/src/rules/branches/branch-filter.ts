import { errors } from "../../request/errors.js";

interface BranchFilters {
  /** The id of a branch, or `unassigned`. */
  branchId?: string | undefined;
  branchGitName?: string | undefined;
}

/** @throws `validation:failed` for two filters by branch. */
export const refuseTwoBranchFilters = ({ branchId, branchGitName }: BranchFilters): void => {
  if (branchId !== undefined && branchGitName !== undefined) {
    throw errors.validationFailed([
      { path: "query/branchGitName", message: "cannot be combined with branchId" },
    ]);
  }
};

/** Returns the fields that a list compares for these filters. */
export const branchWhere = ({ branchId, branchGitName }: BranchFilters) => ({
  branchId: branchId === "unassigned" ? null : branchId,
  branchGitName,
});
