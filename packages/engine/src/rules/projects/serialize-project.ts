import type { SerializationContext } from "../../context/row-json-cache.js";
import { formatTimestamp } from "../../values/clock.js";
import type { Project, Reference } from "../../generated/schemas.js";
import type { ProjectRow, Row } from "../../store/rows.js";

/** Builds a `Project` from its row. Settings are stored but not shown. */
export const serializeProject = (context: SerializationContext, row: ProjectRow): Project => ({
  id: row.id,
  type: "project",
  url: context.buildUrl("projects", row.id),
  name: row.name,
  logicalId: row.logicalId,
  createdAt: formatTimestamp(row.createdAt),
  defaultRegion: row.defaultRegion,
  workspace: serializeReference(context, "workspaces", context.store.workspaces.get(row.workspaceId)),
});

/** Builds a `Reference` to a project. */
export const serializeProjectReference = (context: SerializationContext, projectId: string): Reference =>
  serializeReference(context, "projects", context.store.projects.get(projectId));

/** Builds a `Reference` to the resource that another resource belongs to. */
export const serializeReference = (
  context: SerializationContext,
  collection: string,
  row: (Row & { name: string }) | undefined,
): Reference => {
  if (row === undefined) throw new Error(`A row refers to a row of ${collection} that does not exist`);
  return { id: row.id, url: context.buildUrl(collection, row.id), name: row.name };
};
