import { resolve } from "node:path";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { setupFailedError } from "../errors/preview-errors.js";
import { fetchDatabaseAccess } from "../postgres/database-access.js";
import { printsNewSecrets } from "../secrets/secret-destination.js";
import type { SecretFlags } from "../secrets/secret-flags.js";
import type { SecretOutput } from "../secrets/secret-output.js";
import { replaceAssignments } from "../working-directory/env-file.js";
import { writeVariable } from "../working-directory/write-variable.js";
import { runSetupOnce } from "./setup.js";
import { type PreviewWithRecord, storeRecord } from "./store-record.js";

/** Where the connection string of a preview goes, and the setup that runs before. */
export interface DeliveryOptions {
  /** Name of the variable in the file, and in the environment of the setup. */
  readonly name: string;
  readonly file: string | undefined;
  readonly timeoutMs: number;
  /** Whether the connection string connects through the pooler. The setup gets the direct connection string, which all tools can use. */
  readonly pooled: boolean;
  readonly secretFlags: SecretFlags;
  /** Command that prepares a preview, unless one has succeeded already. */
  readonly setup: string | undefined;
  /** Whether to run it also if one has succeeded already. */
  readonly setupAgain: boolean;
}

/** A preview that exists, and may not be ready. */
export interface PreviewTarget {
  readonly gitName: string;
  readonly region: string | null;
  readonly preview: PreviewWithRecord;
}

/** What `mgmt preview up` prints. */
export interface PreviewResult {
  /** Git branch. */
  readonly branch: string;
  readonly databaseId: string;
  /** Whether the database did not exist before. */
  readonly created: boolean;
  readonly region: string | null;
  /** It is null if it does not expire. */
  readonly expiresAt: string | null;
  /** How the command of `--setup` ended. Absent if it did not run. */
  readonly setup?: "succeeded" | "failed";
  /** Absent if it was written into a file. */
  readonly connectionString?: string;
  /** Path of the file that the connection string was written into. */
  readonly file?: string;
  /** Name of the variable in the file. */
  readonly variable?: string;
}

/**
 * Waits until a preview is ready, runs the setup if it has to, and prints or writes the connection string, also if the setup fails.
 *
 * @param extraFields more fields of the result.
 * @throws `preview:setup_failed`; `preview:setup_running`; `database:unreachable`, if the setup cannot know whether to run.
 */
export const deliverPreview = async (
  { gitName: branch, region, preview }: PreviewTarget,
  extraFields: { readonly created: boolean },
  options: DeliveryOptions,
  secretOutput: SecretOutput,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const { setup, setupAgain, name, timeoutMs, pooled } = options;
  const { record } = preview;
  const databaseId = preview.database.id;
  await client.databases.waitUntilReady(databaseId, { signal, timeoutMs });
  const directAccess = await fetchDatabaseAccess(databaseId, client, context);
  const { url } = pooled ? await fetchDatabaseAccess(databaseId, client, context, { pooled }) : directAccess;
  let exitStatus: number | undefined;
  let setupError: unknown;
  if (setup !== undefined) {
    let currentPreview = preview;
    const saveSetupPending = async (isPending: boolean): Promise<void> => {
      currentPreview = await storeRecord(
        currentPreview,
        branch,
        { ...record, setupPending: isPending },
        client,
        context,
      );
    };
    const setupOptions = { branch, command: setup, runsAgain: setupAgain, variable: name, timeoutMs };
    try {
      exitStatus = await runSetupOnce(
        { ...setupOptions, onStart: () => saveSetupPending(true) },
        directAccess,
        context,
      );
      if (exitStatus === undefined || exitStatus === 0) await saveSetupPending(false);
      else setupError = setupFailedError(branch, { databaseId, ...extraFields }, exitStatus);
    } catch (error) {
      signal.throwIfAborted();
      setupError = error;
    }
  } else if (record.setupPending) {
    const message = `The setup of ${branch} has not succeeded yet. Pass --setup to run it.`;
    output.notice({ code: "preview:setup_pending", message, databaseId });
  }
  if (record.expiresAt !== undefined && Date.parse(record.expiresAt) <= Date.now()) {
    const message = `The preview of ${branch} expired at ${record.expiresAt}: mgmt preview prune deletes it. Pass --expires to keep it longer.`;
    output.notice({ code: "preview:expired", message, databaseId });
  }
  const previewResult = {
    branch,
    databaseId,
    ...extraFields,
    region,
    expiresAt: record.expiresAt ?? null,
    ...(setupError !== undefined && { setup: "failed" as const }),
    ...(exitStatus === 0 && { setup: "succeeded" as const }),
  };
  await printOrWriteResult(url, previewResult, options, secretOutput, context);
  if (setupError !== undefined)
    throw setupError instanceof Error ? setupError : new Error(String(setupError));
};

const printOrWriteResult = async (
  url: string,
  preview: PreviewResult,
  { file, name }: DeliveryOptions,
  secretOutput: SecretOutput,
  context: Context,
): Promise<void> => {
  const { cwd, output } = context;
  if (file === undefined || secretOutput.destination.to === "files") {
    const deliveredPreview = await secretOutput.deliver({ ...preview, connectionString: url });
    if (file === undefined) {
      if (output.format === "table" && printsNewSecrets(secretOutput.destination)) output.writeExact(url);
      else await output.writeResult(deliveredPreview);
      return;
    }
  }
  if (file === "-") return output.writeText(replaceAssignments("", name, url));
  const path = resolve(cwd, file);
  await writeVariable({ path, name, url }, context);
  await output.writeResult({ ...preview, file: path, variable: name });
};
