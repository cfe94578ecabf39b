import type { Branch, Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { noBackup, noPreview } from "../../errors/preview-errors.js";
import type { SecretOutput } from "../../secrets/secret-output.js";
import { printRequests } from "../../service/dry-run.js";
import { deleteDatabase } from "../../preview/delete-preview.js";
import { withSecretOutput } from "../../preview/with-secret-output.js";
import { handOver, type HandOverOptions, type PreviewResult } from "../../preview/hand-over.js";
import type { Progress } from "../../preview/interruption-notice.js";
import { findBranch, openBranch } from "../../preview/open-branch.js";
import type { Preview, PreviewFlags } from "../../preview/preview.js";
import type { PreviewRecord } from "../../preview/record.js";
import { recordOfRun } from "../../preview/record-of-run.js";
import { ensureCopy, type EnsuredCopy, sourceOf } from "../../preview/source-database.js";
import { storeRecord } from "../../preview/store-record.js";

export interface ResetOptions extends PreviewFlags, HandOverOptions {
  readonly expiresAt: string | null | undefined;
  /** Id of a backup of the source, `latest`, or undefined to copy the source as it is now. */
  readonly fromBackup: string | undefined;
}

/** What `mgmt preview reset` prints. */
export interface ResetResult extends PreviewResult {
  /** Whether the connection strings from before still work. */
  readonly connectionsKept: boolean;
  /** Id of the database that was deleted. Null if it was restored in place. */
  readonly deletedDatabaseId: string | null;
}

interface Target {
  readonly projectId: string;
  readonly branch: Branch;
  readonly preview: Preview;
  readonly source: Database;
  readonly record: PreviewRecord;
}

type Replaced = Pick<EnsuredCopy, "preview" | "region">;

/** Replaces the data of a preview database by that of its source. */
export const runPreviewReset = (options: ResetOptions, flags: GlobalFlags, context: Context): Promise<void> =>
  withSecretOutput(options, context, (settled, secretOutput, progress) =>
    reset(settled, secretOutput, flags, context, progress),
  );

const reset = async (
  options: ResetOptions,
  secretOutput: SecretOutput,
  flags: GlobalFlags,
  context: Context,
  progress: Progress,
): Promise<void> => {
  const { signal } = context;
  const opened = await openBranch(options, flags, context);
  const { client, projectId, gitName, gitContext, dryRun } = opened;
  const { branch, preview } = await findBranch(opened, context);
  if (!branch || !preview) throw noPreview(gitName);
  const source = await sourceOf(preview.database, projectId, client, signal);
  const earlier = { ...preview.record, setupPending: false };
  const record = await recordOfRun(gitName, gitContext, earlier, options.expiresAt, context);
  const target = { projectId, branch, preview, source, record };
  const backupId = await backupOf(source, options.fromBackup, client, signal);
  if (!dryRun) {
    await client.databases.waitUntilReady(source.id, { signal, timeoutMs: options.timeoutMs });
    if (!flags.yes) await confirmReset(target, backupId, context);
  }
  const replaced =
    backupId === undefined
      ? await replace(target, client, context, { progress, dryRun: dryRun !== undefined })
      : await restore(target, backupId, client, context);
  const { region } = replaced;
  const fresh = await storeRecord(replaced.preview, gitName, record, client, context);
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);

  const isKept = backupId !== undefined;
  const facts = {
    created: !isKept,
    connectionsKept: isKept,
    deletedDatabaseId: isKept ? null : preview.database.id,
  };
  await handOver({ gitName, region, preview: fresh }, facts, options, secretOutput, client, context);
};

const confirmReset = async (
  { branch, preview, source }: Target,
  backupId: string | undefined,
  context: Context,
): Promise<void> => {
  const { confirm } = await import("../../input/confirm.js");
  const what = `replace all data of database ${preview.database.id} of ${branch.gitName} by`;
  await confirm(
    backupId === undefined
      ? `${what} a copy of ${source.name}${inRegion(source.region?.id)}, with another connection string`
      : `${what} backup ${backupId} of ${source.name}`,
    context,
  );
};

const inRegion = (region: string | null | undefined): string => (region ? ` in ${region}` : "");

/** Deletes the preview and creates it again. */
const replace = async (
  { projectId, branch, preview, source, record }: Target,
  client: MgmtClient,
  { output, signal }: Context,
  { progress, dryRun }: { readonly progress: Progress; readonly dryRun: boolean },
): Promise<Replaced> => {
  const { gitName } = branch;
  const { id: oldId } = preview.database;
  await deleteDatabase(oldId, client, signal);
  Object.assign(progress, { branch: gitName, deletedId: oldId, isCreating: true });
  const { repository } = preview;
  const copy = { projectId, branchId: branch.id, gitName, repository, record, source };
  const ensured = await ensureCopy(copy, client, { signal, dryRun });
  const { id } = ensured.preview.database;
  const { region } = ensured;
  progress.databaseId = id;
  output.info(
    `Database ${oldId} of ${gitName} was replaced by ${id}, a copy of ${source.name}${inRegion(region)}. ` +
      "Connection strings from before no longer work.",
  );
  return ensured;
};

/** Restores the preview in place, which keeps its id and its connections. */
const restore = async (
  { branch, preview, source }: Target,
  backupId: string,
  client: MgmtClient,
  { output, signal }: Context,
): Promise<Replaced> => {
  const { id, region } = preview.database;
  const from = { type: "backup", databaseId: source.id, backupId } as const;
  await client.databases.restore(id, { source: from }, { signal });
  output.info(
    `Database ${id} of ${branch.gitName} is restored from backup ${backupId} of ${source.name}. Its connection strings stay the same.`,
  );
  return { preview, region: region?.id ?? null };
};

/** Returns the id of the backup to restore. Throws `preview:no_backup`. */
const backupOf = async (
  { id, name }: Database,
  wanted: string | undefined,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (wanted !== "latest") return wanted;
  const { data } = await client.databases.backups.list(id, undefined, { signal });
  const latest = data.find(({ status }) => status === "completed");
  if (!latest) throw noBackup(name, id);
  return latest.id;
};
