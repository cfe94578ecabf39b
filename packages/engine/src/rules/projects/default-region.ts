import type { OperationContext } from "../../context/operation-context.js";
import type { ProjectRow } from "../../store/rows.js";

const fallbackRegion = "us-east-1";

/** Returns the region of a new app. See `regionId` of the `apps.create` operation. */
export const chooseAppRegion = (project: ProjectRow, regionId: string | undefined): string =>
  regionId ?? project.defaultRegion ?? fallbackRegion;

/**
 * Returns the region of a new database. `inherit` is the project's default region, or else the region of its default
 * database. See `region` of the `projects.databases.create` operation.
 */
export const chooseDatabaseRegion = (
  context: OperationContext,
  project: ProjectRow,
  region: string | undefined,
): string => {
  if (region !== "inherit") return region ?? fallbackRegion;
  const defaultDatabase = context.store.databases.find({ projectId: project.id, isDefault: true });
  return project.defaultRegion ?? defaultDatabase?.region ?? fallbackRegion;
};
