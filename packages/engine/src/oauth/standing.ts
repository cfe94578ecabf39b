import type { GrantRow } from "../store/rows.js";
import type { Store } from "../store/store.js";

/** Whose consent a code or a grant comes from. */
export type ConsentOf = Pick<GrantRow, "integrationId" | "clientId" | "userId" | "workspaceId">;

/**
 * Whether the consent still holds: its integration is there, and the user still a member of the workspace. What hangs on a
 * deleted integration is dead at once, and stays dead when a later consent makes a new one (§ Authentication).
 */
export const stands = (
  store: Pick<Store, "integrations" | "users" | "workspaces">,
  { integrationId, clientId, userId, workspaceId }: ConsentOf,
): boolean => {
  const integration = store.integrations.get(integrationId);
  return (
    integration?.clientId === clientId &&
    integration.workspaceId === workspaceId &&
    store.users.get(userId) !== undefined &&
    store.workspaces.get(workspaceId)?.memberIds.includes(userId) === true
  );
};
