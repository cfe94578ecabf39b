import type { OperationContext } from "../../context/operation-context.js";
import type { DatabaseRow, IntactConnectionRow } from "../../store/rows.js";

/** Returns a new connection with generated credentials. Does not store it. */
export const generateConnection = (
  context: OperationContext,
  { id: databaseId, workspaceId }: Pick<DatabaseRow, "id" | "workspaceId">,
  name: string,
): IntactConnectionRow => ({
  id: context.ids.generateId("connection"),
  createdAt: context.clock.now(),
  workspaceId,
  databaseId,
  name,
  kind: "postgres",
  user: `role_${context.ids.generateLabel(16)}`,
  pass: generatePassword(context),
});

/** Announces to the database engine the login of a database that does not exist yet. */
export const announceLogin = (
  { databaseEngine }: OperationContext,
  { id: connectionId, databaseId, user, pass }: Omit<IntactConnectionRow, "workspaceId">,
): void => databaseEngine.announce?.(databaseId, [{ connectionId, user, pass }]);

/** Returns a password of letters and digits only, so that no client needs to escape it. */
export const generatePassword = (context: OperationContext): string => context.ids.generateSecret(32);
