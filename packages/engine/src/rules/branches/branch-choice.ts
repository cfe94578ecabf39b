import type { OperationCall } from "../../context/operation-handler.js";
import type { OperationContext } from "../../context/operation-context.js";
import { errors } from "../../values/errors.js";
import type { BranchRow, ProjectRow } from "../../store/rows.js";

/** The branch that a request names for a database or an app. */
export type BranchChoice = NamedBranch | "unassigned";

/** A branch that exists, or the git name of one that has to be created. */
export type NamedBranch = { branch: BranchRow } | { newGitName: string };

/** The fields of a request that place a resource on a branch. */
export interface PlacementFields {
  branchId?: string | null | undefined;
  branchGitName?: string | null | undefined;
  logicalId?: string | null | undefined;
}

/** @throws RequestError 422 `validation:failed` when both fields name a branch. Null counts as absent. */
export const assertAtMostOneBranchField = ({ branchId, branchGitName }: PlacementFields): void => {
  if (typeof branchId === "string" && typeof branchGitName === "string") {
    throw errors.validationFailed([{ path: "/branchGitName", message: "cannot be combined with branchId" }]);
  }
};

/**
 * @throws RequestError 422 `validation:failed` for a `logicalId` together with a `branchGitName`. See the `apps.create`
 * and `projects.databases.create` operations.
 */
export const assertNoLogicalIdWithGitName = ({ logicalId, branchGitName }: PlacementFields): void => {
  if (typeof logicalId === "string" && typeof branchGitName === "string") {
    throw errors.validationFailed([
      { path: "/logicalId", message: "cannot be combined with branchGitName; use branchId" },
    ]);
  }
};

/** @throws RequestError 422 `validation:failed` for a `logicalId` together with a move to another branch. */
export const assertNoLogicalIdWithMove = ({ logicalId, branchId, branchGitName }: PlacementFields): void => {
  if (logicalId !== undefined && (branchId !== undefined || branchGitName !== undefined)) {
    throw errors.validationFailed([
      { path: "/logicalId", message: "cannot be combined with a branch; move first, then set logicalId" },
    ]);
  }
};

/** Returns the branch of a project with this git name; undefined if there is none. */
export const findBranch = (
  context: OperationContext,
  projectId: string,
  gitName: string,
): BranchRow | undefined => context.store.branches.find({ projectId, gitName });

/**
 * Returns the default branch of a project.
 *
 * @throws Error if there is none, which is a defect: every project has one.
 */
export const requireDefaultBranch = (context: OperationContext, projectId: string): BranchRow => {
  const branch = context.store.branches.find({ projectId, isDefault: true });
  if (branch === undefined) throw new Error(`The project ${projectId} has no default branch`);
  return branch;
};

/**
 * Returns the branch that the fields name; undefined when they are absent.
 *
 * @throws RequestError 404 `branch:not_found` when the project has no branch with this id.
 */
export const chooseBranch = (
  call: OperationCall,
  projectId: string,
  { branchId, branchGitName }: PlacementFields,
): BranchChoice | undefined => {
  if (typeof branchId === "string") {
    const branch = call.context.store.branches.get(branchId);
    if (branch?.projectId !== projectId) throw errors.notFound("branch");
    return { branch };
  }
  if (typeof branchGitName === "string") {
    const branch = findBranch(call.context, projectId, branchGitName);
    return branch ? { branch } : { newGitName: branchGitName };
  }
  return branchId === null || branchGitName === null ? "unassigned" : undefined;
};

/** Returns the id of the branch, null for unassigned, or undefined for a branch that does not exist yet. */
export const findChosenBranchId = (branchChoice: BranchChoice): string | null | undefined => {
  if (branchChoice === "unassigned") return null;
  return "branch" in branchChoice ? branchChoice.branch.id : undefined;
};

/** Returns the chosen branch. Creates it if it does not exist. */
export const ensureBranch = (
  context: OperationContext,
  projectId: string,
  branchChoice: NamedBranch,
): BranchRow =>
  "branch" in branchChoice ? branchChoice.branch : addBranch(context, projectId, branchChoice.newGitName);

/** Returns the fields that place a database or an app in a project and on a branch. */
export const buildPlacementFields = (project: Pick<ProjectRow, "id" | "workspaceId">, branch: BranchRow) => ({
  workspaceId: project.workspaceId,
  projectId: project.id,
  branchId: branch.id,
  branchGitName: branch.gitName,
});

/** Creates a branch. Only the first branch of a project has the role `production`. */
export const addBranch = (
  context: OperationContext,
  projectId: string,
  gitName: string,
  role: BranchRow["role"] = "preview",
): BranchRow => {
  const now = context.clock.now();
  return context.store.branches.insert({
    id: context.ids.generateId("branch"),
    createdAt: now,
    updatedAt: now,
    projectId,
    gitName,
    isDefault: role === "production",
    role,
  });
};
