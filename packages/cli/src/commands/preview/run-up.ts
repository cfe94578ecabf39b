import type { Context, GlobalFlags } from "../../input/context.js";
import { previewFailedError, invalidBranchNameError } from "../../errors/preview-errors.js";
import type { SecretOutput } from "../../secrets/secret-output.js";
import { printRequests } from "../../service/dry-run.js";
import { findBranchNameProblem } from "../../git/branch-name.js";
import { runWithSecretOutput } from "../../preview/run-with-secret-output.js";
import { deliverPreview, type DeliveryOptions } from "../../preview/deliver-preview.js";
import type { PreviewProgress } from "../../preview/interruption-notice.js";
import { connectForGitBranch } from "../../preview/connect-branch.js";
import { assertMayBePreview, findPreview, type PreviewFlags } from "../../preview/preview.js";
import type { PreviewRecord } from "../../preview/record.js";
import { buildRunRecord } from "../../preview/build-run-record.js";
import {
  requireDefaultSource,
  ensurePreviewCopy,
  type EnsuredPreview,
} from "../../preview/source-database.js";
import { storeRecord } from "../../preview/store-record.js";

export interface PreviewUpOptions extends PreviewFlags, DeliveryOptions {
  /** ISO time, null for never, undefined to leave it as it is. */
  readonly expiresAt: string | null | undefined;
}

/** Creates the preview database of a branch unless it exists, and prints or writes its connection string. */
export const runPreviewUp = (
  options: PreviewUpOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> =>
  runWithSecretOutput(options, context, (resolvedOptions, secretOutput, progress) =>
    ensurePreview(resolvedOptions, secretOutput, flags, context, progress),
  );

const ensurePreview = async (
  options: PreviewUpOptions,
  secretOutput: SecretOutput,
  flags: GlobalFlags,
  context: Context,
  progress: PreviewProgress,
): Promise<void> => {
  const { output, signal } = context;
  if (options.branch !== undefined) assertBranchName(options.branch);
  const { client, projectId, gitName, gitContext, dryRun } = await connectForGitBranch(
    options,
    flags,
    context,
  );

  const branches = await client.projects.branches.list(projectId, undefined, { signal }).toArray();
  const existingBranch = branches.find((branch) => branch.gitName === gitName);
  if (existingBranch) assertMayBePreview(existingBranch);
  const existingPreview = existingBranch && (await findPreview(existingBranch, gitContext, client, context));
  if (existingPreview?.database.status === "failure")
    throw previewFailedError(gitName, existingPreview.database.id);
  const createRecord = (earlierRecord: PreviewRecord): Promise<PreviewRecord> =>
    buildRunRecord(gitName, gitContext, earlierRecord, options.expiresAt, context);
  const record = await createRecord(existingPreview?.record ?? {});
  // A source that cannot be copied is found before the branch is created.
  const source = existingPreview
    ? undefined
    : await requireDefaultSource(projectId, branches, client, signal);
  if (!dryRun) progress.branch = gitName;
  const branchId =
    existingBranch?.id ??
    (await client.projects.branches.ensure(projectId, { gitName }, { signal })).resource.id;
  let ensuredCopy: EnsuredPreview | undefined;
  if (existingPreview) {
    ensuredCopy = {
      preview: existingPreview,
      region: existingPreview.database.region?.id ?? null,
      wasCreated: false,
    };
  }
  if (source) {
    if (!dryRun) await client.databases.waitUntilReady(source.id, { signal, timeoutMs: options.timeoutMs });
    progress.hasSentCreate = true;
    const repository = gitContext.repository?.key ?? null;
    const newPreview = { projectId, branchId, gitName, repository, record, source };
    ensuredCopy = await ensurePreviewCopy(newPreview, client, { signal, dryRun: dryRun !== undefined });
  }
  if (!ensuredCopy) throw new Error("The preview was neither found nor created");
  progress.databaseId = ensuredCopy.preview.database.id;
  const wasCreatedByOtherRun = source !== undefined && !ensuredCopy.wasCreated && !dryRun;
  const recordToStore = wasCreatedByOtherRun ? await createRecord(ensuredCopy.preview.record) : record;
  const preview = await storeRecord(ensuredCopy.preview, gitName, recordToStore, client, context);
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);

  const { region, wasCreated } = ensuredCopy;
  const regionSuffix = region === null ? "" : ` in ${region}`;
  output.info(
    `Database ${preview.database.id} of ${gitName} ${wasCreated ? "was created" : "already exists"}${regionSuffix}.`,
  );
  await deliverPreview(
    { gitName, region, preview },
    { created: wasCreated },
    options,
    secretOutput,
    client,
    context,
  );
};

/** Rejects a string that git does not accept as the name of a branch. */
const assertBranchName = (name: string): void => {
  const problem = findBranchNameProblem(name);
  if (problem !== undefined) throw invalidBranchNameError(name, problem);
};
