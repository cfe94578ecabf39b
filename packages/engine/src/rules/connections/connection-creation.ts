import type { World } from "../../world/world.js";
import type { ConnectionRow, DatabaseRow } from "../../store/rows.js";

/** Returns a new connection with generated credentials. Does not store it. */
export const newConnection = (
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
  pass: newPassword(world),
});

/** Tells the database engine about the login of a database that does not exist yet. */
export const announceLogin = (
  { databaseEngine }: World,
  { id: connectionId, databaseId, user, pass }: Omit<ConnectionRow, "workspaceId">,
): void => databaseEngine.announce?.(databaseId, [{ connectionId, user, pass }]);

/** Returns a password of letters and digits only, so that no client needs to escape it. */
export const newPassword = (world: World): string => world.ids.secret(32);
