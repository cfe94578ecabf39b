import { appendFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Branch, Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../context.js";
import { causeText } from "../../errors/cli-error.js";
import { severalDatabases, unwritableEnvFile } from "../../errors/database-errors.js";
import { accessTo, type DatabaseAccess } from "../../operations/database-url.js";
import { idOf } from "../../names/id-of.js";
import { connect } from "../../service/connect.js";
import { printRequests, SequenceDryRun } from "../../service/dry-run.js";
import { setVariable } from "../env/env-file.js";
import { assertPreview, branchOf, findPreview, type PreviewFlags, previewId, projectOf } from "./preview.js";

export interface UpOptions extends PreviewFlags {
  /** Name of the variable in the file. */
  readonly name: string;
  readonly envFile: string | undefined;
  readonly timeoutMs: number;
}

/** What `mgmt preview up` prints. */
export interface PreviewResult {
  /** Git branch. */
  readonly branch: string;
  readonly databaseId: string;
  /** Whether the database did not exist before. */
  readonly created: boolean;
  /** Absent if it was written into a file. */
  readonly connectionString?: string;
  /** Path of the file that the connection string was written into. */
  readonly envFile?: string;
  /** Name of the variable in the file. */
  readonly variable?: string;
}

/** Creates the preview database of a branch unless it exists, and prints or writes its connection string. */
export const runPreviewUp = async (
  options: UpOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const project = projectOf(options, flags, context);
  const gitName = await branchOf(options, context);
  const dryRun = options.dryRun === undefined ? undefined : new SequenceDryRun();
  const client = await connect(flags, context, dryRun && { middleware: [dryRun.middleware] });
  const projectId = await idOf("project", project, client, flags, context);

  const branches = await client.projects.branches.list(projectId, undefined, { signal }).toArray();
  const known = branches.find((each) => each.gitName === gitName);
  if (known) assertPreview(known);
  const branchId =
    known?.id ?? (await client.projects.branches.ensure(projectId, { gitName }, { signal })).resource.id;
  const existing = known && (await findPreview(projectId, known.id, client, context));
  const wait = { signal, timeoutMs: options.timeoutMs };
  let [id, created] = [existing?.id ?? "", false];
  if (!existing) {
    const source = await sourceOf(projectId, branches, client, context);
    if (!dryRun) await client.databases.waitUntilReady(source.id, wait);
    ({ id, created } = await createCopy(
      { projectId, branchId, gitName, sourceId: source.id },
      client,
      context,
    ));
  }
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);

  output.info(`Database ${id} of ${gitName} ${created ? "was created" : "already exists"}.`);
  await client.databases.waitUntilReady(id, wait);
  await disclose(
    await accessTo(id, client, context),
    { branch: gitName, databaseId: id, created },
    options,
    context,
  );
};

const createCopy = async (
  {
    projectId,
    branchId,
    gitName,
    sourceId,
  }: Record<"projectId" | "branchId" | "gitName" | "sourceId", string>,
  client: MgmtClient,
  { signal }: Context,
): Promise<{ id: string; created: boolean }> => {
  const source = { type: "database", databaseId: sourceId } as const;
  const body = { projectId, branchId, logicalId: previewId, name: gitName, source };
  const { resource, created } = await client.databases.ensure(body, { signal });
  return { id: resource.id, created };
};

/** Returns the database to copy: the project's default one if it is on the default branch, or else the only one there. */
const sourceOf = async (
  projectId: string,
  branches: readonly Branch[],
  client: MgmtClient,
  { signal }: Context,
): Promise<Database> => {
  const branchId = branches.find(({ isDefault }) => isDefault)?.id;
  const query = { projectId, ...(branchId !== undefined && { branchId }) };
  const databases = await client.databases.list(query, { signal }).toArray();
  const found =
    databases.find(({ isDefault }) => isDefault) ?? (databases.length === 1 ? databases[0] : undefined);
  if (found) return found;
  throw severalDatabases(
    projectId,
    databases.map(({ id }) => id),
  );
};

const disclose = async (
  { url, password }: DatabaseAccess,
  preview: Pick<PreviewResult, "branch" | "databaseId" | "created">,
  { envFile, name }: UpOptions,
  { cwd, env, output }: Context,
): Promise<void> => {
  if (env["GITHUB_ACTIONS"] === "true") {
    for (const secret of new Set([url, password, encodeURIComponent(password)])) {
      output.workflowCommand("add-mask", secret);
    }
  }
  if (envFile === undefined) {
    const result: PreviewResult = { ...preview, connectionString: url };
    if (output.format === "table") output.exact(url);
    else await output.result(result);
    return;
  }
  const path = resolve(cwd, envFile);
  if (env["GITHUB_ENV"] !== undefined && path === resolve(cwd, env["GITHUB_ENV"]))
    await append(path, name, url);
  else await setVariable(path, name, url);
  output.info(`Wrote ${name} to ${path}.`);
  const result: PreviewResult = { ...preview, envFile: path, variable: name };
  await output.result(result);
};

/** The environment file of GitHub Actions has no quotes: they would be part of the value. */
const append = async (path: string, name: string, value: string): Promise<void> => {
  try {
    await appendFile(path, `${name}=${value}\n`, { mode: 0o600 });
  } catch (error) {
    throw unwritableEnvFile(path, causeText(error));
  }
};
