import type { Branch, Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { missingProjectError, notAPreviewError, severalPreviewsError } from "../errors/preview-errors.js";
import { getNonInteractiveReason } from "../input/ask.js";
import { resolveAndAnnounceDefault } from "../profiles/defaults.js";
import type { DryRunFormat } from "../input/dry-run-option.js";
import { connect } from "../service/connect.js";
import { type PreviewIdentity, type PreviewRecord, parseRecord } from "./record.js";
import { requireGitBranch, type GitContext } from "../git/repository.js";

/** The flags that the commands of previews have in common. */
export interface PreviewFlags {
  readonly branch: string | undefined;
  readonly projectId: string | undefined;
  /** Name of a git remote, or a URL. */
  readonly remote: string | undefined;
  readonly dryRun: DryRunFormat | undefined;
}

/** A preview database with its record. */
export interface Preview extends PreviewIdentity {
  readonly database: Database;
  readonly record: PreviewRecord;
}

/** Returns the git branch of the flags, the CI job, or the working directory. */
export const resolveBranch = async (
  { branch }: Pick<PreviewFlags, "branch">,
  gitContext: GitContext,
  context: Context,
): Promise<string> => branch ?? (await requireGitBranch(gitContext, context));

/** Returns the project that the flags name by id or name, or the default project. Asks on a terminal if there is no default. */
export const resolveProject = async (
  { projectId }: Pick<PreviewFlags, "projectId">,
  flags: GlobalFlags,
  context: Context,
): Promise<string> => {
  const id = projectId ?? resolveAndAnnounceDefault("projectId", flags, context)?.value;
  if (id !== undefined) return id;
  const reason = getNonInteractiveReason(context);
  if (reason !== undefined) throw missingProjectError(reason);
  const { chooseResource } = await import("../run/names/choose-resource.js");
  const client = await connect(flags, context);
  const chosenId = await chooseResource("project", "Project", { client, knownIds: {}, flags, context });
  context.answers.push({ flag: "--project-id", value: chosenId });
  return chosenId;
};

/** Returns whether a branch may have a preview. The others always exist. */
export const canBePreview = ({ isDefault, role }: Branch): boolean => !isDefault && role !== "production";

/** Rejects the branches that always exist. */
export const assertMayBePreview = (branch: Branch): void => {
  if (!canBePreview(branch)) throw notAPreviewError(branch.gitName);
};

/** Returns the databases that are previews. */
export const selectPreviews = (databases: readonly Database[]): Preview[] =>
  databases.flatMap((database) => {
    const preview = parseRecord(database);
    return preview === undefined ? [] : [{ database, ...preview }];
  });

/** Returns the previews on a branch, oldest first. */
export const listBranchPreviews = async (
  branchFilter: { readonly projectId: string; readonly branchId: string },
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Preview[]> => selectPreviews(await client.databases.list(branchFilter, { signal }).toArray());

/**
 * Returns the preview of a branch: the preview of the git repository, else the preview that was made without a repository. Without a
 * repository, the only preview that the branch has. The oldest one if there are several of the same repository: see `ensurePreviewCopy`.
 *
 * @throws `preview:several`.
 */
export const findPreview = async (
  branch: Branch,
  { repository }: GitContext,
  client: MgmtClient,
  { signal }: Context,
): Promise<Preview | undefined> => {
  const branchFilter = { projectId: branch.project.id, branchId: branch.id };
  const previews = await listBranchPreviews(branchFilter, client, signal);
  const ownPreview = previews.find((preview) => preview.repository === (repository?.key ?? null));
  if (ownPreview) return ownPreview;
  if (repository) return previews.find((preview) => preview.repository === null);
  const [firstPreview, ...otherPreviews] = previews;
  if (firstPreview && otherPreviews.every((preview) => preview.repository === firstPreview.repository))
    return firstPreview;
  if (!firstPreview) return undefined;
  throw severalPreviewsError(branch.gitName, [
    ...new Set(previews.map((preview) => preview.repository ?? "none")),
  ]);
};
