import type { Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { noRepository } from "../../errors/preview-errors.js";
import { checkedOutBranches } from "../../git/clone.js";
import { remoteBranches } from "../../git/remote.js";
import { printRequests } from "../../service/dry-run.js";
import { type DeletedPreview, deletePreview } from "../../preview/delete-preview.js";
import { listPreviews, type PlacedPreview } from "../../preview/list-previews.js";
import { openProject } from "../../preview/open-branch.js";
import { type PreviewFlags, projectOf } from "../../preview/preview.js";
import type { GitState } from "../../preview/remote-state.js";
import { gitContextOf } from "../../git/repository.js";
import { storeRecord } from "../../preview/store-record.js";

export interface PruneOptions extends Omit<PreviewFlags, "branch"> {
  /** How old a preview is at least before it is deleted because its branch is gone. */
  readonly minAgeMs: number;
}

/** Why a preview is deleted: its branch is no longer in the git remote, or the time of `--expires` is over. */
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
  const { job, repository, problem } = await gitContextOf(options.remote, context);
  if (!repository) throw problem ?? noRepository();
  const project = await projectOf(options, flags, context);
  const { client, projectId, dryRun } = await openProject(project, options, flags, context);
  const judge = async (): Promise<Judged[]> => {
    const git: GitState = {
      key: repository.key,
      checkedOut: new Set([...(await checkedOutBranches(context)), job.branch ?? ""]),
      alive: await remoteBranches(repository.remote, context),
    };
    const previews = await listPreviews(projectId, git, client, signal);
    return previews.map((placed) => ({
      ...placed,
      verdict: verdictOn(placed, options.minAgeMs, Date.now()),
    }));
  };
  let judged = await judge();
  for (const entry of judged) announce(entry, output);
  const isAsking = judged.some(isDoomed) && !flags.yes && !dryRun;
  if (isAsking) {
    const { confirm } = await import("../../input/confirm.js");
    const names = judged.filter(isDoomed).map(({ branch }) => branch.gitName);
    await confirm(`delete the databases of ${names.join(", ")}`, context);
    // The answer may have taken long. Only announced previews are deleted, and only if that is still right.
    const announced = new Set(judged.filter(isDoomed).map(({ preview }) => preview.database.id));
    judged = (await judge()).filter(({ preview }) => announced.has(preview.database.id));
    for (const entry of judged) if (!isDoomed(entry)) announce(entry, output);
  }
  await rememberPushed(judged, client, context);
  const deleted: PrunedPreview[] = [];
  try {
    for (const { branch, preview, verdict } of judged.filter(isDoomed)) {
      const { database } = preview;
      const result = await deletePreview(branch, [database], client, dryRun ? undefined : output, signal);
      deleted.push({ ...result, reason: verdict.reason });
    }
  } finally {
    // Previews that were deleted before a failure are part of the result.
    if (!dryRun && output.format !== "table") await output.result(deleted);
  }
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);
  if (deleted.length === 0) output.info("Nothing to delete.");
};

interface Judged extends PlacedPreview {
  readonly verdict: Verdict;
}

type Doom = { readonly reason: PruneReason; readonly because: string };

const isDoomed = (entry: Judged): entry is Judged & { readonly verdict: Doom } => "reason" in entry.verdict;

const announce = ({ branch, preview, verdict }: Judged, output: Context["output"]): void => {
  const [does, why] = "reason" in verdict ? ["Deletes", verdict.because] : ["Keeps", verdict.keepReason];
  output.info(`${does} ${preview.database.id} of ${branch.gitName}: ${why}.`);
};

type Verdict = Doom | { readonly keepReason: string };

const verdictOn = ({ preview, state }: PlacedPreview, minAgeMs: number, now: number): Verdict => {
  const { database, repository, record } = preview;
  if (state === "other-repository")
    return { keepReason: `it is a preview of another git repository, ${String(repository)}` };
  if (state === "checked-out") return { keepReason: "its branch is checked out" };
  if (record.expiresAt !== undefined && Date.parse(record.expiresAt) <= now) {
    return { reason: "expired", because: `it expired at ${record.expiresAt}` };
  }
  if (state === "unknown")
    return { keepReason: "it was made without a git repository (mgmt preview down deletes it)" };
  if (state === "exists") return { keepReason: "its branch is in the git remote" };
  if (state === "not-pushed") return { keepReason: "its branch was never seen in the git remote" };
  if (now - ageStart(database) < minAgeMs) return { keepReason: "it is younger than --min-age" };
  return { reason: "gone", because: "its branch is no longer in the git remote" };
};

const ageStart = ({ createdAt }: Database): number => Date.parse(createdAt);

/** Remembers which branches are in the remote, so that a later run knows which ones have been deleted there. */
const rememberPushed = async (
  listed: readonly PlacedPreview[],
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  for (const { branch, preview, state } of listed) {
    const { record } = preview;
    if (state !== "exists" || record.pushed) continue;
    await storeRecord(preview, branch.gitName, { ...record, pushed: true }, client, context);
  }
};
