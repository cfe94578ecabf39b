import { defineHandler } from "../../context/operation-handler.js";
import type { OperationContext } from "../../context/operation-context.js";
import type { Principal } from "../../values/principal.js";
import type { Me, MeCredential, MeUser } from "../../generated/schemas.js";

/** Returns the user of a user's credential; null for a service token or an agent. */
const serializeCurrentUser = ({ store }: OperationContext, principal: Principal): MeUser | null => {
  if (principal.kind !== "user") return null;
  const user = store.users.get(principal.userId);
  return { id: principal.userId, email: user?.email ?? principal.email, name: user?.name ?? null };
};

const serializeCredential = ({ store }: OperationContext, principal: Principal): MeCredential => {
  if (principal.kind === "service") {
    const { serviceTokenId: id } = principal;
    return { type: "service_token", id, name: store.serviceTokens.get(id)?.name ?? null };
  }
  if (principal.kind === "agent") return { type: "agent_token", id: principal.agentId, name: null };
  const { clientId, integrationId } = principal;
  if (clientId === null) return { type: "management_token", id: null, name: null };
  return { type: "oauth", id: integrationId, name: store.clients.get(clientId)?.name ?? null };
};

export const meHandlers = {
  "me.get": defineHandler("me.get", {
    check: () => undefined,
    execute: ({ context, principal }) => {
      const workspace = context.store.workspaces.get(principal.workspaceId);
      const me: Me = {
        user: serializeCurrentUser(context, principal),
        workspace: workspace ? { id: workspace.id, name: workspace.name } : null,
        credential: serializeCredential(context, principal),
      };
      return { status: 200, body: { data: me } };
    },
  }),
};
