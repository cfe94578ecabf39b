import type { Branch, Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { noProject, notAPreview, severalPreviews } from "../errors/preview-errors.js";
import { whyNotAsked } from "../input/ask.js";
import { takeDefault } from "../profiles/defaults.js";
import type { DryRunFormat } from "../input/dry-run-option.js";
import { connect } from "../service/connect.js";
import { type PreviewIdentity, type PreviewRecord, readRecord } from "./record.js";
import { branchIn, type GitContext } from "../git/repository.js";

/** The flags that the commands of previews have in common. */
export interface PreviewFlags {
  readonly branch: string | undefined;
  readonly projectId: string | undefined;
  /** Name of a git remote, or an address. */
  readonly remote: string | undefined;
  readonly dryRun: DryRunFormat | undefined;
}

/** A preview database with its record. */
export interface Preview extends PreviewIdentity {
  readonly database: Database;
  readonly record: PreviewRecord;
}

/** Returns the git branch of the flags, the CI job, or the working directory. */
export const branchOf = async (
  { branch }: Pick<PreviewFlags, "branch">,
  gitContext: GitContext,
  context: Context,
): Promise<string> => branch ?? (await branchIn(gitContext, context));

/** Returns the project of the flags, which may be a name, or the default one. Asks on a terminal if there is none. */
export const projectOf = async (
  { projectId }: Pick<PreviewFlags, "projectId">,
  flags: GlobalFlags,
  context: Context,
): Promise<string> => {
  const id = projectId ?? takeDefault("projectId", flags, context)?.value;
  if (id !== undefined) return id;
  const reason = whyNotAsked(context);
  if (reason !== undefined) throw noProject(reason);
  const { chooseResource } = await import("../run/names/choose-resource.js");
  const client = await connect(flags, context);
  const value = await chooseResource("project", "Project", { client, known: {}, flags, context });
  context.chosen.push({ flag: "--project-id", value });
  return value;
};

/** Whether a branch may have a preview. The others always exist. */
export const mayBePreview = ({ isDefault, role }: Branch): boolean => !isDefault && role !== "production";

/** Refuses the branches that always exist. */
export const assertPreview = (branch: Branch): void => {
  if (!mayBePreview(branch)) throw notAPreview(branch.gitName);
};

/** Returns the databases that are previews. */
export const previewsAmong = (databases: readonly Database[]): Preview[] =>
  databases.flatMap((database) => {
    const preview = readRecord(database);
    return preview === undefined ? [] : [{ database, ...preview }];
  });

/** Returns the previews on a branch, oldest first. */
export const previewsOn = async (
  place: { readonly projectId: string; readonly branchId: string },
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Preview[]> => previewsAmong(await client.databases.list(place, { signal }).toArray());

/**
 * Returns the preview of a branch: that of the git repository, else the one that was made without a repository. Without a
 * repository, the only preview that the branch has. The oldest one if there are several of the same repository: see `ensureCopy`.
 *
 * @throws `preview:several`.
 */
export const findPreview = async (
  branch: Branch,
  { repository }: GitContext,
  client: MgmtClient,
  { signal }: Context,
): Promise<Preview | undefined> => {
  const place = { projectId: branch.project.id, branchId: branch.id };
  const previews = await previewsOn(place, client, signal);
  const own = previews.find((preview) => preview.repository === (repository?.key ?? null));
  if (own) return own;
  if (repository) return previews.find((preview) => preview.repository === null);
  const [only, ...others] = previews;
  if (only && others.every((preview) => preview.repository === only.repository)) return only;
  if (!only) return undefined;
  throw severalPreviews(branch.gitName, [
    ...new Set(previews.map((preview) => preview.repository ?? "none")),
  ]);
};
