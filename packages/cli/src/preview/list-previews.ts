import type { Branch, MgmtClient } from "@mgmt/sdk";
import { canBePreview, type Preview, selectPreviews } from "./preview.js";
import { type GitState, type GitBranchStatus, getGitBranchStatus } from "./git-branch-status.js";

/** A preview, its branch, and the status of that branch in git. */
export interface PreviewWithState {
  readonly branch: Branch;
  readonly preview: Preview;
  readonly state: GitBranchStatus;
}

/** Returns the previews of a project, oldest first. */
export const listPreviews = async (
  projectId: string,
  gitState: GitState,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<PreviewWithState[]> => {
  const [branches, databases] = await Promise.all([
    client.projects.branches.list(projectId, undefined, { signal }).toArray(),
    client.databases.list({ projectId }, { signal }).toArray(),
  ]);
  return selectPreviews(databases).flatMap((preview): PreviewWithState[] => {
    const branch = branches.find(({ id }) => id === preview.database.branchId);
    if (!branch || !canBePreview(branch)) return [];
    return [{ branch, preview, state: getGitBranchStatus(branch.gitName, preview, gitState) }];
  });
};
