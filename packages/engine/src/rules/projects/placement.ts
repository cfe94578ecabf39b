import type { World } from "../../request/world.js";
import type { ProjectRow } from "../../store/rows.js";

const fallbackRegion = "us-east-1";

/** In the given region, else the project's default region, else us-east-1 (§ App rules 1). */
export const placeApp = (project: ProjectRow, regionId: string | undefined): string =>
  regionId ?? project.defaultRegion ?? fallbackRegion;

/** `inherit` is the project's default region, else its default database's; no word is us-east-1 (§ Databases). */
export const placeDatabase = (world: World, project: ProjectRow, region: string | undefined): string => {
  if (region !== "inherit") return region ?? fallbackRegion;
  const defaultDatabase = world.store.databases.find({ projectId: project.id, isDefault: true });
  return project.defaultRegion ?? defaultDatabase?.region ?? fallbackRegion;
};
