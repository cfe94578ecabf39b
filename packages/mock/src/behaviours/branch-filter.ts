import type { World } from "../engine/behaviour.js";
import { errors } from "../engine/errors.js";
import { canonicalId } from "../engine/ids.js";

/** The engine reads the filter as the id of a branch; no branch has this one. */
const unassigned = canonicalId("branch", "unassigned");

interface BranchFilters {
  /** Id of a branch, or `unassigned`. */
  branchId?: string | undefined;
  branchGitName?: string | undefined;
}

/** Two ways to name the branches of a list exclude each other, as they do in bodies. */
export const refuseTwoBranchFilters = ({ branchId, branchGitName }: BranchFilters): void => {
  if (branchId !== undefined && branchGitName !== undefined) {
    throw errors.validationFailed([
      { path: "query.branchGitName", message: "cannot be combined with branchId" },
    ]);
  }
};

/** Whether a list with these filters shows the row. */
export const onBranch = (
  { store }: World,
  row: { branchId: string | null },
  { branchId, branchGitName }: BranchFilters,
): boolean => {
  if (branchId !== undefined) {
    const wanted = canonicalId("branch", branchId);
    return row.branchId === (wanted === unassigned ? null : wanted);
  }
  if (branchGitName === undefined) return true;
  return row.branchId !== null && store.branches.get(row.branchId)?.gitName === branchGitName;
};
