import type { Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { isConfirmedByFlag } from "../../profiles/protection.js";
import { confirmResourceChange } from "../../run/confirm-resource-change.js";
import { noRepositoryError } from "../../errors/preview-errors.js";
import { listCheckedOutBranches } from "../../git/clone.js";
import { listRemoteBranches } from "../../git/remote.js";
import { printRequests } from "../../service/dry-run.js";
import { type DeletedPreview, deletePreview } from "../../preview/delete-preview.js";
import { listPreviews, type PreviewWithState } from "../../preview/list-previews.js";
import { connectToProject } from "../../preview/connect-branch.js";
import { type PreviewFlags, resolveProject } from "../../preview/preview.js";
import type { GitState } from "../../preview/git-branch-status.js";
import { resolveGitContext } from "../../git/repository.js";
import { storeRecord } from "../../preview/store-record.js";

export interface PruneOptions extends Omit<PreviewFlags, "branch"> {
  /** Minimum age of a preview that is deleted because its branch no longer exists. */
  readonly minAgeMs: number;
}

/** Why a preview is deleted: its branch is no longer in the git remote, or the preview has expired (`--expires`). */
export type PruneReason = "gone" | "expired";

/** A preview that was deleted, and why. */
export interface PrunedPreview extends DeletedPreview {
  readonly reason: PruneReason;
}

/** Deletes the preview databases that have expired, and those whose branch no longer exists in the git remote. */
export const runPreviewPrune = async (
  options: PruneOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const { job, repository, problem } = await resolveGitContext(options.remote, context);
  if (!repository) throw problem ?? noRepositoryError();
  const project = await resolveProject(options, flags, context);
  const { client, projectId, dryRun } = await connectToProject(project, options, flags, context);
  const loadDecisions = async (): Promise<PreviewWithDecision[]> => {
    const gitState: GitState = {
      repositoryKey: repository.key,
      checkedOutBranches: new Set([...(await listCheckedOutBranches(context)), job.branch ?? ""]),
      remoteBranches: await listRemoteBranches(repository.remote, context),
    };
    const previews = await listPreviews(projectId, gitState, client, signal);
    return previews.map((previewWithState) => ({
      ...previewWithState,
      decision: decidePrune(previewWithState, options.minAgeMs, Date.now()),
    }));
  };
  const announcedPreviews = await loadDecisions();
  for (const entry of announcedPreviews) announceDecision(entry, output);
  const asksFirst = announcedPreviews.some(isToDelete) && !isConfirmedByFlag(flags, context) && !dryRun;
  const previewsWithDecision = asksFirst
    ? await confirmDecisions(announcedPreviews, loadDecisions, flags, context)
    : announcedPreviews;
  await markPushedBranches(previewsWithDecision, client, context);
  const deletedPreviews: PrunedPreview[] = [];
  try {
    for (const { branch, preview, decision } of previewsWithDecision.filter(isToDelete)) {
      const { database } = preview;
      const deletedPreview = await deletePreview(
        branch,
        [database],
        client,
        dryRun ? undefined : output,
        signal,
      );
      deletedPreviews.push({ ...deletedPreview, reason: decision.reason });
    }
  } finally {
    // Previews that were deleted before a failure are part of the result.
    if (!dryRun && output.format !== "table") await output.writeResult(deletedPreviews);
  }
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);
  if (deletedPreviews.length === 0) output.info("Nothing to delete.");
};

/**
 * Asks the user to confirm the deletions, and returns the decisions after that, because the answer may have taken long. Only announced previews are
 * deleted, and only if that is still right.
 */
const confirmDecisions = async (
  announcedPreviews: readonly PreviewWithDecision[],
  loadDecisions: () => Promise<PreviewWithDecision[]>,
  flags: GlobalFlags,
  context: Context,
): Promise<readonly PreviewWithDecision[]> => {
  const resources = announcedPreviews
    .filter(isToDelete)
    .map(({ branch, preview }) => ({ id: preview.database.id, name: branch.gitName }));
  const action = `delete the databases of ${resources.map(({ name }) => name).join(", ")}`;
  await confirmResourceChange({ action, resources }, flags, context);
  const announcedIds = new Set(resources.map(({ id }) => id));
  const previewsWithDecision = (await loadDecisions()).filter(({ preview }) =>
    announcedIds.has(preview.database.id),
  );
  for (const entry of previewsWithDecision) if (!isToDelete(entry)) announceDecision(entry, context.output);
  return previewsWithDecision;
};

interface PreviewWithDecision extends PreviewWithState {
  readonly decision: PruneDecision;
}

type DeleteDecision = { readonly reason: PruneReason; readonly explanation: string };

const isToDelete = (
  entry: PreviewWithDecision,
): entry is PreviewWithDecision & { readonly decision: DeleteDecision } => "reason" in entry.decision;

const announceDecision = (
  { branch, preview, decision }: PreviewWithDecision,
  output: Context["output"],
): void => {
  const [actionText, reasonText] =
    "reason" in decision ? ["Deletes", decision.explanation] : ["Keeps", decision.reasonToKeep];
  output.info(`${actionText} ${preview.database.id} of ${branch.gitName}: ${reasonText}.`);
};

type PruneDecision = DeleteDecision | { readonly reasonToKeep: string };

const decidePrune = ({ preview, state }: PreviewWithState, minAgeMs: number, now: number): PruneDecision => {
  const { database, repository, record } = preview;
  if (state === "other-repository")
    return { reasonToKeep: `it is a preview of another git repository, ${String(repository)}` };
  if (state === "checked-out") return { reasonToKeep: "its branch is checked out" };
  if (record.expiresAt !== undefined && Date.parse(record.expiresAt) <= now) {
    return { reason: "expired", explanation: `it expired at ${record.expiresAt}` };
  }
  if (state === "unknown")
    return { reasonToKeep: "it was made without a git repository (mgmt preview down deletes it)" };
  if (state === "exists") return { reasonToKeep: "its branch is in the git remote" };
  if (state === "not-pushed") return { reasonToKeep: "its branch was never seen in the git remote" };
  if (now - getCreatedAtMs(database) < minAgeMs) return { reasonToKeep: "it is younger than --min-age" };
  return { reason: "gone", explanation: "its branch is no longer in the git remote" };
};

const getCreatedAtMs = ({ createdAt }: Database): number => Date.parse(createdAt);

/** Stores which branches are in the remote, so that a later run can tell which ones have been deleted there. */
const markPushedBranches = async (
  previews: readonly PreviewWithState[],
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  for (const { branch, preview, state } of previews) {
    const { record } = preview;
    if (state !== "exists" || record.pushed) continue;
    await storeRecord(preview, branch.gitName, { ...record, pushed: true }, client, context);
  }
};
