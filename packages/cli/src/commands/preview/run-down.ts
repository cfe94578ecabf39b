import type { Context, GlobalFlags } from "../../context.js";
import { idOf } from "../../names/id-of.js";
import { connect } from "../../service/connect.js";
import { printRequests, SequenceDryRun } from "../../service/dry-run.js";
import {
  assertPreview,
  branchOf,
  deletePreview,
  findPreview,
  type PreviewFlags,
  projectOf,
} from "./preview.js";

/** Deletes the preview database of a branch. */
export const runPreviewDown = async (
  options: PreviewFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const project = projectOf(options, flags, context);
  const gitName = await branchOf(options, context);
  const dryRun = options.dryRun === undefined ? undefined : new SequenceDryRun();
  const client = await connect(flags, context, dryRun && { middleware: [dryRun.middleware] });
  const projectId = await idOf("project", project, client, flags, context);
  const [branch] = (await client.projects.branches.list(projectId, { gitName }, { signal })).data;
  if (branch) assertPreview(branch);
  const deleted = branch
    ? await deletePreview(
        branch,
        await findPreview(projectId, branch.id, client, context),
        client,
        dryRun ? undefined : output,
        signal,
      )
    : { branch: gitName, databaseId: null, branchId: null };
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);
  if (!branch) output.info(`The project has no branch ${gitName}, so there is nothing to delete.`);
  if (output.format !== "table") await output.result(deleted);
};
