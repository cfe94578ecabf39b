import type { RowContext } from "../../context/row-texts.js";
import { formatTimestamp } from "../../values/clock.js";
import type { Project, Reference } from "../../generated/schemas.js";
import type { ProjectRow, Row } from "../../store/rows.js";

/** Builds a `Project` from its row. Settings are stored but not shown. */
export const presentProject = (context: RowContext, row: ProjectRow): Project => ({
  id: row.id,
  type: "project",
  url: context.url("projects", row.id),
  name: row.name,
  logicalId: row.logicalId,
  createdAt: formatTimestamp(row.createdAt),
  defaultRegion: row.defaultRegion,
  workspace: presentReference(context, "workspaces", context.store.workspaces.get(row.workspaceId)),
});

/** Builds a `Reference` to a project. */
export const presentProjectReference = (context: RowContext, projectId: string): Reference =>
  presentReference(context, "projects", context.store.projects.get(projectId));

/** Builds a `Reference` to the resource that another resource belongs to. */
export const presentReference = (
  context: RowContext,
  collection: string,
  row: (Row & { name: string }) | undefined,
): Reference => {
  if (row === undefined) throw new Error(`A row refers to a row of ${collection} that does not exist`);
  return { id: row.id, url: context.url(collection, row.id), name: row.name };
};
