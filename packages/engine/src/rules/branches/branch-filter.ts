import { errors } from "../../request/errors.js";

interface BranchFilters {
  /** Id of a branch, or `unassigned`. */
  branchId?: string | undefined;
  branchGitName?: string | undefined;
}

/** Two ways to name the branches of a list exclude each other, as they do in bodies. */
export const refuseTwoBranchFilters = ({ branchId, branchGitName }: BranchFilters): void => {
  if (branchId !== undefined && branchGitName !== undefined) {
    throw errors.validationFailed([
      { path: "query/branchGitName", message: "cannot be combined with branchId" },
    ]);
  }
};

/** The fields of a row that the filters compare. */
export const branchWhere = ({ branchId, branchGitName }: BranchFilters) => ({
  branchId: branchId === "unassigned" ? null : branchId,
  branchGitName,
});
