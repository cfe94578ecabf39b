import { defineHandler } from "../../context/operation-handler.js";
import type { SerializationContext } from "../../context/row-json-cache.js";
import type { OperationContext } from "../../context/operation-context.js";
import { formatTimestamp } from "../../values/clock.js";
import { errors } from "../../values/errors.js";
import { respondWithPage } from "../../request/paging.js";
import { isInWorkspace, requireAccess } from "../../request/resource-access.js";
import type { Integration } from "../../generated/schemas.js";
import type { IntegrationRow } from "../../store/rows.js";
import { mapBatched } from "../../store/preload.js";

/**
 * Builds an `Integration` from its row.
 *
 * @throws Error if its client or its user is missing, which is a defect.
 */
export const serializeIntegration = (context: SerializationContext, row: IntegrationRow): Integration => {
  const client = context.store.clients.get(row.clientId);
  const user = context.store.users.get(row.userId);
  if (client === undefined || user === undefined) {
    throw new Error(`The integration ${row.id} has lost its client or its user`);
  }
  return {
    id: row.id,
    url: context.buildUrl("integrations", row.id),
    createdAt: formatTimestamp(row.createdAt),
    scopes: [...row.scopes],
    client: { id: client.id, name: client.name, createdAt: formatTimestamp(client.createdAt) },
    createdByUser: { id: user.id, email: user.email, displayName: user.name },
  };
};

/** Revokes integrations. Deleting the row of an integration revokes its access tokens; its grants expire. */
const revokeIntegrations = ({ store, clock }: OperationContext, rows: readonly IntegrationRow[]) => {
  mapBatched(rows, ({ id: integrationId }) => {
    const grants = store.grants.list({ integrationId });
    store.integrations.delete(integrationId);
    for (const { id } of grants) store.grants.update(id, { expiresAt: clock.now() });
  });
  return { status: 204 };
};

export const integrationHandlers = {
  "integrations.list": defineHandler("integrations.list", {
    check: () => undefined,
    execute: (call) => {
      const { workspaceId } = call.query;
      return respondWithPage(
        call,
        call.context.store.integrations,
        { workspaceId: isInWorkspace(call, "workspace", workspaceId) ? workspaceId : [] },
        serializeIntegration,
      );
    },
  }),

  "integrations.get": defineHandler("integrations.get", {
    check: (call) => requireAccess(call, "integration", call.path.id),
    execute: ({ context }, integration) => ({
      status: 200,
      body: { data: serializeIntegration(context, integration) },
    }),
  }),

  "integrations.delete": defineHandler("integrations.delete", {
    check: (call) => requireAccess(call, "integration", call.path.id),
    execute: ({ context }, integration) => revokeIntegrations(context, [integration]),
  }),

  "workspaces.integrations.list": defineHandler("workspaces.integrations.list", {
    check: (call) => requireAccess(call, "workspace", call.path.workspaceId),
    execute: (call, workspace) =>
      respondWithPage(
        call,
        call.context.store.integrations,
        { workspaceId: workspace.id },
        serializeIntegration,
      ),
  }),

  "workspaces.integrations.delete": defineHandler("workspaces.integrations.delete", {
    check: (call) => {
      const workspace = requireAccess(call, "workspace", call.path.workspaceId);
      const integrations = call.context.store.integrations.list({
        workspaceId: workspace.id,
        clientId: call.path.clientId,
      });
      if (integrations.length === 0) throw errors.notFound("integration");
      return integrations;
    },
    execute: ({ context }, integrations) => revokeIntegrations(context, integrations),
  }),
};
