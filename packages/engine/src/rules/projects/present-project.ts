import type { World } from "../../request/world.js";
import { timestamp } from "../../time/clock.js";
import type { Project, Reference } from "../../generated/schemas.js";
import type { ProjectRow } from "../../store/rows.js";
import { presentReference } from "../reference.js";

/** § Project. Its settings are kept and not shown. */
export const presentProject = (world: World, row: ProjectRow): Project => ({
  id: row.id,
  type: "project",
  url: world.url("projects", row.id),
  name: row.name,
  logicalId: row.logicalId,
  createdAt: timestamp(row.createdAt),
  defaultRegion: row.defaultRegion,
  workspace: presentReference(world, "workspaces", world.store.workspaces.get(row.workspaceId)),
});

export const presentProjectReference = (world: World, projectId: string): Reference =>
  presentReference(world, "projects", world.store.projects.get(projectId));
