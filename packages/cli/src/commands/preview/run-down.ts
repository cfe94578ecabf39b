import type { Context, GlobalFlags } from "../../input/context.js";
import { confirmResourceChange } from "../../run/confirm-resource-change.js";
import { notAPreviewError } from "../../errors/preview-errors.js";
import { printRequests } from "../../service/dry-run.js";
import { deletePreview } from "../../preview/delete-preview.js";
import { findBranchAndPreview, connectForGitBranch } from "../../preview/connect-branch.js";
import { type PreviewFlags, listBranchPreviews } from "../../preview/preview.js";

/** Deletes the preview database of a branch. */
export const runPreviewDown = async (
  options: PreviewFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const connectedBranch = await connectForGitBranch(options, flags, context);
  const { client, projectId, gitName, gitContext, dryRun } = connectedBranch;
  if (options.branch === undefined && gitName === gitContext.job.defaultBranch)
    throw notAPreviewError(gitName);
  const { branch, preview } = await findBranchAndPreview(connectedBranch, context);
  const branchPreviews =
    branch && preview ? await listBranchPreviews({ projectId, branchId: branch.id }, client, signal) : [];
  const databases = branchPreviews.flatMap(({ repository, database }) =>
    repository === preview?.repository ? [database] : [],
  );
  if (branch && !dryRun) {
    const ids = databases.map(({ id }) => id);
    const question =
      ids.length > 0 ? `delete database ${ids.join(" and ")} of ${gitName}` : `delete branch ${gitName}`;
    await confirmResourceChange(
      { action: question, resources: [{ id: databases[0]?.id ?? branch.id, name: gitName }] },
      flags,
      context,
    );
  }
  const deletedPreview = branch
    ? await deletePreview(branch, databases, client, dryRun ? undefined : output, signal)
    : { branch: gitName, databaseId: null, branchId: null };
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);
  if (!branch) output.info(`The project has no branch ${gitName}, so there is nothing to delete.`);
  if (output.format !== "table") await output.writeResult(deletedPreview);
};
