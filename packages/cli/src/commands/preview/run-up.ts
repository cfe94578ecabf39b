import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { previewFailed, invalidBranchName } from "../../errors/preview-errors.js";
import type { Disclosure } from "../../secrets/disclosure.js";
import { printRequests } from "../../service/dry-run.js";
import { disclosePreview } from "./disclose-preview.js";
import { handOver, type HandOverOptions } from "./hand-over.js";
import type { Progress } from "./interruption-notice.js";
import { openBranch } from "./open-branch.js";
import { assertPreview, findPreview, type Preview, type PreviewFlags } from "./preview.js";
import { nameWith, type PreviewRecord } from "./record.js";
import { recordOfRun } from "./record-of-run.js";
import { defaultSource, ensureCopy, type EnsuredCopy } from "./source-database.js";

export interface UpOptions extends PreviewFlags, HandOverOptions {
  /** ISO time, null for never, undefined to leave it as it is. */
  readonly expiresAt: string | null | undefined;
}

/** Creates the preview database of a branch unless it exists, and prints or writes its connection string. */
export const runPreviewUp = (options: UpOptions, flags: GlobalFlags, context: Context): Promise<void> =>
  disclosePreview(options, context, (each, disclosure, progress) =>
    createOrFind(each, disclosure, flags, context, progress),
  );

const createOrFind = async (
  options: UpOptions,
  disclosure: Disclosure,
  flags: GlobalFlags,
  context: Context,
  progress: Progress,
): Promise<void> => {
  const { output, signal } = context;
  if (options.branch !== undefined) assertBranchName(options.branch);
  const { client, projectId, gitName, surroundings, dryRun } = await openBranch(options, flags, context);

  const branches = await client.projects.branches.list(projectId, undefined, { signal }).toArray();
  const known = branches.find((each) => each.gitName === gitName);
  if (known) assertPreview(known);
  const existing = known && (await findPreview(known, surroundings, client, context));
  if (existing?.database.status === "failure") throw previewFailed(gitName, existing.database.id);
  const before = existing?.record;
  const isPending = options.setup !== undefined && before?.setupDone !== true;
  const earlier = isPending ? { ...before, setupPending: true } : (before ?? {});
  const record = await recordOfRun(gitName, surroundings, earlier, options.expiresAt, context);
  // A source that cannot be copied is found before the branch is created.
  const source = existing ? undefined : await defaultSource(projectId, branches, client, signal);
  if (!dryRun) progress.branch = gitName;
  const branchId =
    known?.id ?? (await client.projects.branches.ensure(projectId, { gitName }, { signal })).resource.id;
  let found: EnsuredCopy | undefined;
  if (existing) {
    const { id, region } = existing.database;
    progress.databaseId = id;
    found = { id, region: region?.id ?? null, created: false, record };
    await remember(existing, gitName, record, client, signal);
  }
  if (source) {
    if (!dryRun) await client.databases.waitUntilReady(source.id, { signal, timeoutMs: options.timeoutMs });
    progress.isCreating = true;
    const repository = surroundings.repository?.key;
    const copy = { projectId, branchId, gitName, repository, record, source };
    found = await ensureCopy(copy, client, context);
    progress.databaseId = found.id;
  }
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);
  if (!found) throw new Error("The preview was neither found nor created");

  const { id, region, created } = found;
  const where = region === null ? "" : ` in ${region}`;
  output.info(`Database ${id} of ${gitName} ${created ? "was created" : "already exists"}${where}.`);
  const preview = { branch: gitName, databaseId: id, region, record: found.record };
  await handOver(preview, { created }, options, disclosure, client, context);
};

/** Stores the record of a preview if it has changed. */
const remember = async (
  { database }: Preview,
  gitName: string,
  record: PreviewRecord,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<void> => {
  const name = nameWith(gitName, record);
  if (name !== database.name) await client.databases.update(database.id, { name }, { signal });
};

/** Returns why git refuses a text as the name of a branch, by the rules of `git check-ref-format --branch`. */
const nameProblemOf = (name: string): string | undefined => {
  const parts = name.split("/");
  if (/[\u0000-\u001f\u007f]/.test(name)) return "it contains a control character";
  const character = /[ ~^:?*[\\]/.exec(name)?.[0];
  if (character !== undefined) return `it contains ${character === " " ? "a space" : character}`;
  if (name.includes("..")) return "it contains ..";
  if (name.includes("@{")) return "it contains @{";
  if (name.startsWith("-")) return "it starts with -";
  if (parts.includes("")) return "it starts or ends with /, or contains //";
  if (parts.some((part) => part.startsWith("."))) return "a part of it starts with .";
  if (parts.some((part) => part.endsWith(".lock"))) return "a part of it ends with .lock";
  if (name.endsWith(".")) return "it ends with .";
  return name === "@" || name === "HEAD" ? "git uses it for the current commit" : undefined;
};

/** Refuses a text that git does not accept as the name of a branch. */
const assertBranchName = (name: string): void => {
  const problem = nameProblemOf(name);
  if (problem !== undefined) throw invalidBranchName(name, problem);
};
