import { buildServiceTokenRequest, buildTokenClaims } from "../../context/access-token.js";
import { defineHandler, definePreparedHandler } from "../../context/operation-handler.js";
import { formatTimestamp } from "../../values/clock.js";
import { errors } from "../../values/errors.js";
import { respondWithPage } from "../../request/paging.js";
import { isInWorkspace, requireAccess } from "../../request/resource-access.js";
import type { RowSerializer } from "../../context/row-json-cache.js";
import type { ServiceToken } from "../../generated/schemas.js";
import type { ServiceTokenRow } from "../../store/rows.js";

/** Builds a `ServiceToken` from its row, without the value of the token. */
export const serializeServiceToken = (row: ServiceTokenRow): ServiceToken => ({
  id: row.id,
  type: "serviceToken",
  name: row.name,
  valueHint: row.valueHint,
  createdAt: formatTimestamp(row.createdAt),
  expiresAt: row.expiresAt === null ? null : formatTimestamp(row.expiresAt),
});

const serializeListedToken: RowSerializer<ServiceTokenRow> = (_context, row) => serializeServiceToken(row);

/** The handlers of the operations of service tokens. */
export const serviceTokenHandlers = {
  /** Lists tokens, newest first. The list is empty when the workspace does not exist or is not the caller's. */
  "workspaces.serviceTokens.list": defineHandler("workspaces.serviceTokens.list", {
    check: () => undefined,
    execute: (call) => {
      const { workspaceId } = call.path;
      return respondWithPage(
        call,
        call.context.store.serviceTokens,
        { workspaceId: isInWorkspace(call, "workspace", workspaceId) ? workspaceId : [] },
        serializeListedToken,
        { newestFirst: true },
      );
    },
  }),

  /** Creates a token. Only this response contains its value; the row stores the last four characters. */
  "workspaces.serviceTokens.create": definePreparedHandler("workspaces.serviceTokens.create", {
    prepare: {
      plan: (call) => {
        const workspace = requireAccess(call, "workspace", call.path.workspaceId);
        const token = { id: call.context.ids.generateId("service_token"), workspaceId: workspace.id };
        return { id: token.id, claims: buildTokenClaims(call.context, buildServiceTokenRequest(token)) };
      },
      work: async ({ signer }, { id, claims }) => ({ id, value: await signer.sign(claims) }),
    },
    check: (call, signedToken) => ({
      workspace: requireAccess(call, "workspace", call.path.workspaceId),
      ...signedToken,
    }),
    execute: ({ context, body }, { workspace, id, value }) => {
      const token = context.store.serviceTokens.insert({
        id,
        createdAt: context.clock.now(),
        workspaceId: workspace.id,
        name: body.name,
        valueHint: value.slice(-4),
        expiresAt: null,
      });
      return { status: 201, body: { data: { ...serializeServiceToken(token), value } } };
    },
  }),

  /** Deletes a token, which revokes it immediately. */
  "workspaces.serviceTokens.delete": defineHandler("workspaces.serviceTokens.delete", {
    check: (call) => {
      const workspace = requireAccess(call, "workspace", call.path.workspaceId);
      const token = call.context.store.serviceTokens.get(call.path.serviceTokenId);
      if (token?.workspaceId !== workspace.id) throw errors.notFound("service_token");
      return token;
    },
    execute: ({ context }, token) => {
      context.store.serviceTokens.delete(token.id);
      return { status: 204 };
    },
  }),
};
