import type { Context, GlobalFlags } from "../../input/context.js";
import { previewFailed, invalidBranchName } from "../../errors/preview-errors.js";
import type { SecretOutput } from "../../secrets/secret-output.js";
import { printRequests } from "../../service/dry-run.js";
import { nameProblemOf } from "../../git/branch-name.js";
import { withSecretOutput } from "../../preview/with-secret-output.js";
import { handOver, type HandOverOptions } from "../../preview/hand-over.js";
import type { Progress } from "../../preview/interruption-notice.js";
import { openBranch } from "../../preview/open-branch.js";
import { assertPreview, findPreview, type PreviewFlags } from "../../preview/preview.js";
import type { PreviewRecord } from "../../preview/record.js";
import { recordOfRun } from "../../preview/record-of-run.js";
import { defaultSource, ensureCopy, type EnsuredCopy } from "../../preview/source-database.js";
import { storeRecord } from "../../preview/store-record.js";

export interface UpOptions extends PreviewFlags, HandOverOptions {
  /** ISO time, null for never, undefined to leave it as it is. */
  readonly expiresAt: string | null | undefined;
}

/** Creates the preview database of a branch unless it exists, and prints or writes its connection string. */
export const runPreviewUp = (options: UpOptions, flags: GlobalFlags, context: Context): Promise<void> =>
  withSecretOutput(options, context, (settled, secretOutput, progress) =>
    createOrFind(settled, secretOutput, flags, context, progress),
  );

const createOrFind = async (
  options: UpOptions,
  secretOutput: SecretOutput,
  flags: GlobalFlags,
  context: Context,
  progress: Progress,
): Promise<void> => {
  const { output, signal } = context;
  if (options.branch !== undefined) assertBranchName(options.branch);
  const { client, projectId, gitName, gitContext, dryRun } = await openBranch(options, flags, context);

  const branches = await client.projects.branches.list(projectId, undefined, { signal }).toArray();
  const known = branches.find((branch) => branch.gitName === gitName);
  if (known) assertPreview(known);
  const existing = known && (await findPreview(known, gitContext, client, context));
  if (existing?.database.status === "failure") throw previewFailed(gitName, existing.database.id);
  const recordFor = (earlier: PreviewRecord): Promise<PreviewRecord> =>
    recordOfRun(gitName, gitContext, earlier, options.expiresAt, context);
  const record = await recordFor(existing?.record ?? {});
  // A source that cannot be copied is found before the branch is created.
  const source = existing ? undefined : await defaultSource(projectId, branches, client, signal);
  if (!dryRun) progress.branch = gitName;
  const branchId =
    known?.id ?? (await client.projects.branches.ensure(projectId, { gitName }, { signal })).resource.id;
  let copy: EnsuredCopy | undefined;
  if (existing) {
    copy = { preview: existing, region: existing.database.region?.id ?? null, created: false };
  }
  if (source) {
    if (!dryRun) await client.databases.waitUntilReady(source.id, { signal, timeoutMs: options.timeoutMs });
    progress.isCreating = true;
    const repository = gitContext.repository?.key ?? null;
    const wanted = { projectId, branchId, gitName, repository, record, source };
    copy = await ensureCopy(wanted, client, { signal, dryRun: dryRun !== undefined });
  }
  if (!copy) throw new Error("The preview was neither found nor created");
  progress.databaseId = copy.preview.database.id;
  const isOfOtherRun = source !== undefined && !copy.created && !dryRun;
  const stored = isOfOtherRun ? await recordFor(copy.preview.record) : record;
  const preview = await storeRecord(copy.preview, gitName, stored, client, context);
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);

  const { region, created } = copy;
  const where = region === null ? "" : ` in ${region}`;
  output.info(
    `Database ${preview.database.id} of ${gitName} ${created ? "was created" : "already exists"}${where}.`,
  );
  await handOver({ gitName, region, preview }, { created }, options, secretOutput, client, context);
};

/** Refuses a string that git does not accept as the name of a branch. */
const assertBranchName = (name: string): void => {
  const problem = nameProblemOf(name);
  if (problem !== undefined) throw invalidBranchName(name, problem);
};
