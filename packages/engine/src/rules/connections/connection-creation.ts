import type { RuleContext } from "../../context/rule-context.js";
import type { DatabaseRow, IntactConnectionRow } from "../../store/rows.js";

/** Returns a new connection with generated credentials. Does not store it. */
export const generateConnection = (
  context: RuleContext,
  { id: databaseId, workspaceId }: Pick<DatabaseRow, "id" | "workspaceId">,
  name: string,
): IntactConnectionRow => ({
  id: context.ids.id("connection"),
  createdAt: context.clock.now(),
  workspaceId,
  databaseId,
  name,
  kind: "postgres",
  user: `role_${context.ids.label(16)}`,
  pass: generatePassword(context),
});

/** Tells the database engine about the login of a database that does not exist yet. */
export const announceLogin = (
  { databaseEngine }: RuleContext,
  { id: connectionId, databaseId, user, pass }: Omit<IntactConnectionRow, "workspaceId">,
): void => databaseEngine.announce?.(databaseId, [{ connectionId, user, pass }]);

/** Returns a password of letters and digits only, so that no client needs to escape it. */
export const generatePassword = (context: RuleContext): string => context.ids.secret(32);
