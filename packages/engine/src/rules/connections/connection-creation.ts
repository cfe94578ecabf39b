import type { World } from "../../request/world.js";
import type { ConnectionRow, DatabaseRow } from "../../store/rows.js";

/** A connection with credentials of its own, not yet in the store. */
export const inventConnection = (
  world: World,
  { id: databaseId, workspaceId }: Pick<DatabaseRow, "id" | "workspaceId">,
  name: string,
): ConnectionRow => ({
  id: world.ids.id("connection"),
  createdAt: world.clock.now(),
  workspaceId,
  databaseId,
  name,
  kind: "postgres",
  user: `role_${world.ids.label(16)}`,
  pass: inventPassword(world),
});

/** Letters and digits only, so that no client needs to escape it. */
export const inventPassword = (world: World): string => world.ids.secret(32);
