import type { Context, GlobalFlags } from "../../input/context.js";
import { resolveAndAnnounceDefault } from "../../profiles/defaults.js";
import { isDevAccess, resolveAccess } from "../../profiles/resolve-access.js";
import { resolveIdOrName } from "../../run/names/resolve-id-or-name.js";
import { connectWithAccess } from "../../service/connect.js";
import { gatherUsage, type UsageGrouping } from "./gather-usage.js";

export interface UsageOptions {
  readonly projectId: string | undefined;
  readonly allProjects: boolean;
  readonly by: UsageGrouping;
  /** How long ago the period starts, in milliseconds, or undefined for the start of the month. */
  readonly sinceMs: number | undefined;
}

/** Prints what databases have used. */
export const runUsage = async (
  { projectId, allProjects, by, sinceMs }: UsageOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output } = context;
  output.assertPrintsLists();
  const project = allProjects
    ? undefined
    : (projectId ?? resolveAndAnnounceDefault("projectId", flags, context)?.value);
  const access = await resolveAccess(flags, context);
  const client = await connectWithAccess(access, context);
  const id =
    project === undefined ? undefined : await resolveIdOrName("project", project, client, flags, context);
  const startDate = sinceMs === undefined ? undefined : new Date(Date.now() - sinceMs).toISOString();
  const stopSpinner = output.startSpinner(() => "Adding up");
  const rows = await gatherUsage({ projectId: id, by, startDate }, client, context).finally(stopSpinner);
  await output.writeResult(rows, by === "database" ? "DatabaseUsage" : "GroupUsage");
  const [period] = rows.map((row) => row.period);
  if (!period) return;
  const { start, end } = period;
  output.info(
    isDevAccess(access)
      ? "Operations since each database was created or last restored, because mgmt dev keeps no history."
      : `Requested: from ${start} to ${end}. A service without a history counts since each database was created.`,
  );
};
