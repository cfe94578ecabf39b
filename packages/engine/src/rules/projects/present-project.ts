import type { RowContext } from "../../world/row-texts.js";
import { timestamp } from "../../values/clock.js";
import type { Project, Reference } from "../../generated/schemas.js";
import type { ProjectRow, Row } from "../../store/rows.js";

/** Builds a `Project` from its row. Settings are stored but not shown. */
export const presentProject = (world: RowContext, row: ProjectRow): Project => ({
  id: row.id,
  type: "project",
  url: world.url("projects", row.id),
  name: row.name,
  logicalId: row.logicalId,
  createdAt: timestamp(row.createdAt),
  defaultRegion: row.defaultRegion,
  workspace: presentReference(world, "workspaces", world.store.workspaces.get(row.workspaceId)),
});

export const presentProjectReference = (world: RowContext, projectId: string): Reference =>
  presentReference(world, "projects", world.store.projects.get(projectId));

/** Builds a `Reference` to the resource that another resource belongs to. */
export const presentReference = (
  world: RowContext,
  collection: string,
  row: (Row & { name: string }) | undefined,
): Reference => {
  if (row === undefined) throw new Error(`A row refers to a row of ${collection} that does not exist`);
  return { id: row.id, url: world.url(collection, row.id), name: row.name };
};
