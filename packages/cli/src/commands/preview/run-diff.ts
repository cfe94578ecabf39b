import type { Context, GlobalFlags } from "../../input/context.js";
import { noPreviewError, schemaDumpFailedError } from "../../errors/preview-errors.js";
import { ProgramExitError } from "../../errors/exit-codes.js";
import { fetchDatabaseAccess, type DatabaseAccess } from "../../postgres/database-access.js";
import { toPrintable } from "../../output/printable.js";
import type { Style } from "../../output/style.js";
import { findBranchAndPreview, connectForGitBranch } from "../../preview/connect-branch.js";
import type { PreviewFlags } from "../../preview/preview.js";
import { setupSchemaName } from "../../preview/record.js";
import { resolvePreviewSource } from "../../preview/source-database.js";
import { execFile } from "node:child_process";
import { requireClientProgram } from "../../postgres/client-programs.js";
import { buildClientEnvironment } from "../../postgres/connection-environment.js";
import { toPostgresDatabase, readServerVersion } from "../../postgres/query.js";
import { throwIfInterrupted } from "../../system/shared-interrupt.js";

export interface PreviewDiffOptions extends Omit<PreviewFlags, "dryRun"> {
  /** Whether to exit with 1 if the schemas differ. */
  readonly exitCode: boolean;
}

/** What `mgmt preview diff` prints. */
export interface SchemaDiff {
  /** Git branch. */
  readonly branch: string;
  readonly databaseId: string;
  /** Id of the database that the preview is a copy of. */
  readonly sourceId: string;
  readonly differs: boolean;
  /** Unified diff from the schema of the source to the schema of the preview. Empty if they are the same. */
  readonly patch: string;
}

/**
 * Prints how the schema of a preview differs from the schema of its source.
 *
 * @throws ProgramExitError with exit status 1, if the option `exitCode` is set and the schemas differ.
 */
export const runPreviewDiff = async (
  options: PreviewDiffOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const connectedBranch = await connectForGitBranch(options, flags, context);
  const { client, projectId, gitName } = connectedBranch;
  const { preview } = await findBranchAndPreview(connectedBranch, context);
  if (!preview) throw noPreviewError(gitName);
  const { database } = preview;
  const source = await resolvePreviewSource(database, projectId, client, signal);
  const [sourceSchema, previewSchema] = await Promise.all(
    [source.id, database.id].map(async (id) =>
      dumpSchema(await fetchDatabaseAccess(id, client, context), context),
    ),
  );
  const patch = await createPatch(sourceSchema ?? "", previewSchema ?? "", [source.name, gitName]);
  const result: SchemaDiff = {
    branch: gitName,
    databaseId: database.id,
    sourceId: source.id,
    differs: patch !== "",
    patch,
  };
  if (output.format !== "table") await output.writeResult(result);
  else if (patch === "") output.info(`The schemas of ${source.name} and ${gitName} are the same.`);
  else if (output.isTerminal) output.writeText(colorPatch(patch, await output.loadStyle()));
  else output.writeExactLines(patch);
  if (options.exitCode && patch !== "") throw new ProgramExitError(1);
};

const createPatch = async (
  sourceSchema: string,
  previewSchema: string,
  [beforeName, afterName]: readonly [string, string],
): Promise<string> => {
  if (sourceSchema === previewSchema) return "";
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(beforeName, afterName, sourceSchema, previewSchema);
  // The line above the names belongs to other version control systems.
  return patch.replace(/^=+\n/, "");
};

const colorPatch = (patch: string, { strong, good, bad, busy }: Style): string => {
  const emphasize = (line: string, index: number): string => {
    const printableLine = toPrintable(line);
    // Later lines that look like these are comments of SQL.
    if (index < 2) return strong(printableLine);
    if (line.startsWith("@@")) return busy(printableLine);
    if (line.startsWith("+")) return good(printableLine);
    return line.startsWith("-") ? bad(printableLine) : printableLine;
  };
  return patch.split("\n").map(emphasize).join("\n");
};

/** Copies of a database have the same schema, but other owners. */
const dumpArguments = [
  "--schema-only",
  "--no-owner",
  "--no-privileges",
  "--no-password",
  `--exclude-schema=${setupSchemaName}`,
];

/**
 * Returns the schema of a database as SQL, without the lines that differ between two dumps of the same schema.
 *
 * @throws `program:not_found`, `program:too_old`, `database:unreachable`, and `preview:dump_failed`.
 */
const dumpSchema = async (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string> => {
  const { path } = await requireClientProgram(
    "pg_dump",
    context,
    await readServerVersion(toPostgresDatabase(access, context), context),
  );
  const env = { ...buildClientEnvironment(context.env, access), PGCONNECT_TIMEOUT: "10", LC_ALL: "C" };
  const execOptions = { env, signal: context.signal, maxBuffer: 512 * 2 ** 20 };
  const sql = await new Promise<string>((resolve, reject) => {
    execFile(path, dumpArguments, execOptions, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const problem = stderr.trim().split("\n")[0] || error.message;
      throwIfInterrupted(context.signal).then(
        () => reject(schemaDumpFailedError(access.databaseId, problem)),
        reject,
      );
    });
  });
  return stripDumpNoise(sql);
};

/** Removes the versions of the programs, and the keys that pg_dump makes for each dump. */
const stripDumpNoise = (sql: string): string =>
  sql.replaceAll(/^(?:-- Dumped (?:from|by) .*|\\(?:un)?restrict \S+)\n/gm, "").replaceAll(/\n{3,}/g, "\n\n");
