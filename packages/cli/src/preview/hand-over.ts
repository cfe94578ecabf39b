import { resolve } from "node:path";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { setupFailed } from "../errors/preview-errors.js";
import { accessTo } from "../postgres/database-access.js";
import { printsNewSecrets } from "../secrets/secret-destination.js";
import type { SecretFlags } from "../secrets/secret-flags.js";
import type { SecretOutput } from "../secrets/secret-output.js";
import { withVariable } from "../working-directory/env-file.js";
import { writeVariable } from "../working-directory/write-variable.js";
import { runSetupOnce } from "./setup.js";
import { type RecordedPreview, storeRecord } from "./store-record.js";

export interface HandOverOptions {
  /** Name of the variable in the file, and in the environment of the setup. */
  readonly name: string;
  readonly file: string | undefined;
  readonly timeoutMs: number;
  /** Whether the connection string is that of the connection pooler. The setup gets the direct one, which all tools can use. */
  readonly pooled: boolean;
  readonly secretFlags: SecretFlags;
  /** Command that prepares a preview, unless one has succeeded already. */
  readonly setup: string | undefined;
  /** Whether to run it also if one has succeeded already. */
  readonly setupAgain: boolean;
}

/** A preview that exists, and may not be ready. */
export interface ExistingPreview {
  readonly gitName: string;
  readonly region: string | null;
  readonly preview: RecordedPreview;
}

/** What `mgmt preview up` prints. */
export interface PreviewResult {
  /** Git branch. */
  readonly branch: string;
  readonly databaseId: string;
  /** Whether the database did not exist before. */
  readonly created: boolean;
  readonly region: string | null;
  /** Null if it does not expire. */
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
 * @param facts more fields of the result.
 * @throws `preview:setup_failed`; `preview:setup_running`; `database:unreachable`, if the setup cannot know whether to run.
 */
export const handOver = async (
  { gitName: branch, region, preview }: ExistingPreview,
  facts: { readonly created: boolean },
  options: HandOverOptions,
  secretOutput: SecretOutput,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const { setup, setupAgain, name, timeoutMs, pooled } = options;
  const { record } = preview;
  const databaseId = preview.database.id;
  await client.databases.waitUntilReady(databaseId, { signal, timeoutMs });
  const direct = await accessTo(databaseId, client, context);
  const { url } = pooled ? await accessTo(databaseId, client, context, { pooled }) : direct;
  let status: number | undefined;
  let problem: unknown;
  if (setup !== undefined) {
    let noted = preview;
    const note = async (setupPending: boolean): Promise<void> => {
      noted = await storeRecord(noted, branch, { ...record, setupPending }, client, context);
    };
    const steps = { branch, command: setup, again: setupAgain, variable: name, timeoutMs };
    try {
      status = await runSetupOnce({ ...steps, onStart: () => note(true) }, direct, context);
      if (status === undefined || status === 0) await note(false);
      else problem = setupFailed(branch, { databaseId, ...facts }, status);
    } catch (error) {
      signal.throwIfAborted();
      problem = error;
    }
  } else if (record.setupPending) {
    const message = `The setup of ${branch} has not succeeded yet. Pass --setup to run it.`;
    output.notice({ code: "preview:setup_pending", message, databaseId });
  }
  if (record.expiresAt !== undefined && Date.parse(record.expiresAt) <= Date.now()) {
    const message = `The preview of ${branch} expired at ${record.expiresAt}: mgmt preview prune deletes it. Pass --expires to keep it longer.`;
    output.notice({ code: "preview:expired", message, databaseId });
  }
  const result = {
    branch,
    databaseId,
    ...facts,
    region,
    expiresAt: record.expiresAt ?? null,
    ...(problem !== undefined && { setup: "failed" as const }),
    ...(status === 0 && { setup: "succeeded" as const }),
  };
  await print(url, result, options, secretOutput, context);
  if (problem !== undefined) throw problem instanceof Error ? problem : new Error(String(problem));
};

const print = async (
  url: string,
  preview: PreviewResult,
  { file, name }: HandOverOptions,
  secretOutput: SecretOutput,
  context: Context,
): Promise<void> => {
  const { cwd, output } = context;
  if (file === undefined || secretOutput.destination.to === "files") {
    const result = await secretOutput.deliver({ ...preview, connectionString: url });
    if (file === undefined) {
      if (output.format === "table" && printsNewSecrets(secretOutput.destination)) output.exact(url);
      else await output.result(result);
      return;
    }
  }
  if (file === "-") return output.text(withVariable("", name, url));
  const path = resolve(cwd, file);
  await writeVariable({ path, name, url }, context);
  await output.result({ ...preview, file: path, variable: name });
};
