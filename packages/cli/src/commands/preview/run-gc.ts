import type { Branch, Database } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../context.js";
import { idOf } from "../../names/id-of.js";
import { connect } from "../../service/connect.js";
import { printRequests, SequenceDryRun } from "../../service/dry-run.js";
import { remoteBranches } from "./git.js";
import { type DeletedPreview, deletePreview, type PreviewFlags, previewId, projectOf } from "./preview.js";

/** Deletes the preview databases whose branch no longer exists in a git remote. */
export const runPreviewGc = async (
  options: PreviewFlags & { readonly remote: string },
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal, cwd } = context;
  const project = projectOf(options, flags, context);
  const dryRun = options.dryRun === undefined ? undefined : new SequenceDryRun();
  const client = await connect(flags, context, dryRun && { middleware: [dryRun.middleware] });
  const projectId = await idOf("project", project, client, flags, context);
  const alive = await remoteBranches(options.remote, cwd, signal);
  const [branches, databases] = await Promise.all([
    client.projects.branches.list(projectId, undefined, { signal }).toArray(),
    client.databases.list({ projectId, logicalId: previewId }, { signal }).toArray(),
  ]);
  const gone = databases.flatMap((database): { branch: Branch; database: Database }[] => {
    const branch = branches.find(({ id }) => id === database.branchId);
    const isPreview = branch && !branch.isDefault && branch.role !== "production";
    return isPreview && !alive.has(branch.gitName) ? [{ branch, database }] : [];
  });

  if (gone.length > 0 && !flags.yes && !dryRun) {
    const { confirm } = await import("../../input/confirm.js");
    await confirm(`delete the databases of ${gone.map(({ branch }) => branch.gitName).join(", ")}`, context);
  }
  const deleted: DeletedPreview[] = [];
  for (const { branch, database } of gone) {
    deleted.push(await deletePreview(branch, database, client, dryRun ? undefined : output, signal));
  }
  if (dryRun) return printRequests(dryRun.requests, options.dryRun ?? "json", [], context);
  if (gone.length === 0) output.info("Every preview database has a git branch.");
  if (output.format !== "table") await output.result(deleted);
};
