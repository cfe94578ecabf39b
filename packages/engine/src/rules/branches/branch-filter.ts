import type { World } from "../../request/behavior.js";
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

/** Whether a list with these filters shows the row. */
export const onBranch = (
  { store }: World,
  row: { branchId: string | null },
  { branchId, branchGitName }: BranchFilters,
): boolean => {
  if (branchId !== undefined) return row.branchId === (branchId === "unassigned" ? null : branchId);
  if (branchGitName === undefined) return true;
  return row.branchId !== null && store.branches.get(row.branchId)?.gitName === branchGitName;
};
