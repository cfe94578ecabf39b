import type { Branch, Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { confirmResourceChange } from "../../run/confirm-resource-change.js";
import { noBackupError, noPreviewError } from "../../errors/preview-errors.js";
import type { SecretOutput } from "../../secrets/secret-output.js";
import { printRequests } from "../../service/dry-run.js";
import { deleteDatabase } from "../../preview/delete-preview.js";
import { runWithSecretOutput } from "../../preview/run-with-secret-output.js";
import { deliverPreview, type DeliveryOptions, type PreviewResult } from "../../preview/deliver-preview.js";
import type { PreviewProgress } from "../../preview/interruption-notice.js";
import { findBranchAndPreview, connectForGitBranch } from "../../preview/connect-branch.js";
import type { Preview, PreviewFlags } from "../../preview/preview.js";
import type { PreviewRecord } from "../../preview/record.js";
import { buildRunRecord } from "../../preview/build-run-record.js";
import {
  ensurePreviewCopy,
  type EnsuredPreview,
  resolvePreviewSource,
} from "../../preview/source-database.js";
import { storeRecord } from "../../preview/store-record.js";

export interface PreviewResetOptions extends PreviewFlags, DeliveryOptions {
  readonly expiresAt: string | null | undefined;
  /** Id of a backup of the source, `latest`, or undefined to copy the source as it is now. */
  readonly fromBackup: string | undefined;
}

/** What `mgmt preview reset` prints. */
export interface ResetResult extends PreviewResult {
  /** Whether the connection strings from before still work. */
  readonly connectionsKept: boolean;
  /** Id of the database that was deleted, or null if it was restored in place. */
  readonly deletedDatabaseId: string | null;
}

interface ResetTarget {
  readonly projectId: string;
  readonly branch: Branch;
  readonly preview: Preview;
  readonly source: Database;
  readonly record: PreviewRecord;
}

type ReplacedPreview = Pick<EnsuredPreview, "preview" | "region">;

/** Replaces the data of a preview database with the data of its source. */
export const runPreviewReset = (
  options: PreviewResetOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> =>
  runWithSecretOutput(options, context, (resolvedOptions, secretOutput, progress) =>
    resetPreview(resolvedOptions, secretOutput, flags, context, progress),
  );

const resetPreview = async (
  options: PreviewResetOptions,
  secretOutput: SecretOutput,
  flags: GlobalFlags,
  context: Context,
  progress: PreviewProgress,
): Promise<void> => {
  const { signal } = context;
  const connectedBranch = await connectForGitBranch(options, flags, context);
  const { client, projectId, gitName, gitContext, dryRun } = connectedBranch;
  const { branch, preview } = await findBranchAndPreview(connectedBranch, context);
  if (!branch || !preview) throw noPreviewError(gitName);
  const source = await resolvePreviewSource(preview.database, projectId, client, signal);
  const earlierRecord = { ...preview.record, setupPending: false };
  const record = await buildRunRecord(gitName, gitContext, earlierRecord, options.expiresAt, context);
  const target = { projectId, branch, preview, source, record };
  const backupId = await findBackupId(source, options.fromBackup, client, signal);
  if (!dryRun) {
    await client.databases.waitUntilReady(source.id, { signal, timeoutMs: options.timeoutMs });
    await confirmReset(target, backupId, flags, context);
  }
  const replacedPreview =
    backupId === undefined
      ? await replaceByCopy(target, client, context, { progress, dryRun: dryRun !== undefined })
      : await restoreBackup(target, backupId, client, context);
  const { region } = replacedPreview;
  const storedPreview = await storeRecord(replacedPreview.preview, gitName, record, client, context);
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);

  const keepsDatabase = backupId !== undefined;
  const resultFields = {
    created: !keepsDatabase,
    connectionsKept: keepsDatabase,
    deletedDatabaseId: keepsDatabase ? null : preview.database.id,
  };
  await deliverPreview(
    { gitName, region, preview: storedPreview },
    resultFields,
    options,
    secretOutput,
    client,
    context,
  );
};

const confirmReset = async (
  { branch, preview, source }: ResetTarget,
  backupId: string | undefined,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const actionStart = `replace all data of database ${preview.database.id} of ${branch.gitName} by`;
  const action =
    backupId === undefined
      ? `${actionStart} a copy of ${source.name}${formatRegionSuffix(source.region?.id)}, with another connection string`
      : `${actionStart} backup ${backupId} of ${source.name}`;
  const resources = [{ id: preview.database.id, name: branch.gitName }];
  await confirmResourceChange({ action, resources }, flags, context);
};

const formatRegionSuffix = (region: string | null | undefined): string => (region ? ` in ${region}` : "");

/** Deletes the preview and creates it again. */
const replaceByCopy = async (
  { projectId, branch, preview, source, record }: ResetTarget,
  client: MgmtClient,
  { output, signal }: Context,
  { progress, dryRun }: { readonly progress: PreviewProgress; readonly dryRun: boolean },
): Promise<ReplacedPreview> => {
  const { gitName } = branch;
  const { id: deletedId } = preview.database;
  await deleteDatabase(deletedId, client, signal);
  Object.assign(progress, { branch: gitName, deletedId, hasSentCreate: true });
  const { repository } = preview;
  const newPreview = { projectId, branchId: branch.id, gitName, repository, record, source };
  const ensuredCopy = await ensurePreviewCopy(newPreview, client, { signal, dryRun });
  const { id } = ensuredCopy.preview.database;
  const { region } = ensuredCopy;
  progress.databaseId = id;
  output.info(
    `Database ${deletedId} of ${gitName} was replaced by ${id}, a copy of ${source.name}${formatRegionSuffix(region)}. ` +
      "Connection strings from before no longer work.",
  );
  return ensuredCopy;
};

/** Restores the preview in place, which keeps its id and its connections. */
const restoreBackup = async (
  { branch, preview, source }: ResetTarget,
  backupId: string,
  client: MgmtClient,
  { output, signal }: Context,
): Promise<ReplacedPreview> => {
  const { id, region } = preview.database;
  const restoreSource = { type: "backup", databaseId: source.id, backupId } as const;
  await client.databases.restore(id, { source: restoreSource }, { signal });
  output.info(
    `Database ${id} of ${branch.gitName} is restored from backup ${backupId} of ${source.name}. Its connection strings stay the same.`,
  );
  return { preview, region: region?.id ?? null };
};

/** Returns the id of the backup to restore. Throws `preview:no_backup`. */
const findBackupId = async (
  { id, name }: Database,
  requestedBackup: string | undefined,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (requestedBackup !== "latest") return requestedBackup;
  const { data } = await client.databases.backups.list(id, undefined, { signal });
  const latestBackup = data.find(({ status }) => status === "completed");
  if (!latestBackup) throw noBackupError(name, id);
  return latestBackup.id;
};
