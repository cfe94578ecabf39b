import type { Context, GlobalFlags } from "../../input/context.js";
import { noPreview } from "../../errors/preview-errors.js";
import { ProgramEnded } from "../../errors/exit-codes.js";
import { accessTo } from "../../run/database-url.js";
import { printable } from "../../output/printable.js";
import type { Style } from "../../output/style.js";
import { findBranch, openBranch } from "./open-branch.js";
import type { PreviewFlags } from "./preview.js";
import { dumpSchema } from "./schema-dump.js";
import { sourceOf } from "./source-database.js";

export interface DiffOptions extends Omit<PreviewFlags, "dryRun"> {
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
  /** Unified diff from the schema of the source to that of the preview. Empty if they are the same. */
  readonly patch: string;
}

/** Prints how the schema of a preview differs from that of its source. Throws ProgramEnded with 1 if asked and it does. */
export const runPreviewDiff = async (
  options: DiffOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const opened = await openBranch(options, flags, context);
  const { client, projectId, gitName } = opened;
  const { preview } = await findBranch(opened, context);
  if (!preview) throw noPreview(gitName);
  const { database } = preview;
  const source = await sourceOf(database, projectId, client, signal);
  const [before, after] = await Promise.all(
    [source.id, database.id].map(async (id) => dumpSchema(await accessTo(id, client, context), context)),
  );
  const patch = await patchOf(before ?? "", after ?? "", [source.name, gitName]);
  const result: SchemaDiff = {
    branch: gitName,
    databaseId: database.id,
    sourceId: source.id,
    differs: patch !== "",
    patch,
  };
  if (output.format !== "table") await output.result(result);
  else if (patch === "") output.info(`The schemas of ${source.name} and ${gitName} are the same.`);
  else if (output.isTerminal) output.text(colored(patch, await output.style()));
  else output.exactLines(patch);
  if (options.exitCode && patch !== "") throw new ProgramEnded(1);
};

const patchOf = async (
  before: string,
  after: string,
  [beforeName, afterName]: readonly [string, string],
): Promise<string> => {
  if (before === after) return "";
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(beforeName, afterName, before, after);
  // The line above the names belongs to other version control systems.
  return patch.replace(/^=+\n/, "");
};

const colored = (patch: string, { strong, good, bad, busy }: Style): string => {
  const emphasize = (line: string, index: number): string => {
    const text = printable(line);
    // Later lines that look like these are comments of SQL.
    if (index < 2) return strong(text);
    if (line.startsWith("@@")) return busy(text);
    if (line.startsWith("+")) return good(text);
    return line.startsWith("-") ? bad(text) : text;
  };
  return patch.split("\n").map(emphasize).join("\n");
};
