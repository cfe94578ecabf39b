import { defineHandler } from "../../context/operation-handler.js";
import type { SerializationContext } from "../../context/row-json-cache.js";
import { formatTimestamp } from "../../values/clock.js";
import { errors } from "../../values/errors.js";
import { respondWithPage } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type { Workspace } from "../../generated/schemas.js";
import type { WorkspaceRow } from "../../store/rows.js";

/** Builds a `Workspace` from its row. */
export const serializeWorkspace = (context: SerializationContext, row: WorkspaceRow): Workspace => ({
  id: row.id,
  type: "workspace",
  url: context.buildUrl("workspaces", row.id),
  name: row.name,
  createdAt: formatTimestamp(row.createdAt),
});

/** The handlers of the operations of workspaces. */
export const workspaceHandlers = {
  /** Lists the workspace of the credential, the only one that it can reach. */
  "workspaces.list": defineHandler("workspaces.list", {
    check: () => undefined,
    execute: (call) =>
      respondWithPage(
        call,
        call.context.store.workspaces,
        { id: call.principal.workspaceId },
        serializeWorkspace,
      ),
  }),

  "workspaces.create": defineHandler("workspaces.create", {
    check: ({ principal }) => {
      if (principal.kind !== "user") {
        throw errors["auth:forbidden/user"]();
      }
      return principal;
    },
    execute: ({ context, body }, { userId }) => {
      const workspace = context.store.workspaces.insert({
        id: context.ids.generateId("workspace"),
        createdAt: context.clock.now(),
        name: body.displayName ?? context.ids.generateName(),
        memberIds: [userId],
      });
      return { status: 201, body: { data: serializeWorkspace(context, workspace) } };
    },
  }),

  "workspaces.get": defineHandler("workspaces.get", {
    check: (call) => requireAccess(call, "workspace", call.path.id),
    execute: ({ context }, workspace) => ({
      status: 200,
      body: { data: serializeWorkspace(context, workspace) },
    }),
  }),

  "workspaces.subscription.get": defineHandler("workspaces.subscription.get", {
    check: (call) => requireAccess(call, "workspace", call.path.workspaceId),
    execute: ({ context }) => ({
      status: 200,
      body: { data: { ...context.settings.subscription, upgradeUrl: context.settings.baseUrl } },
    }),
  }),
};
