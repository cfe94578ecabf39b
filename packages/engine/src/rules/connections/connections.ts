import { type OperationCall, defineHandler, type SuccessResponse } from "../../context/operation-handler.js";
import type { OperationContext } from "../../context/operation-context.js";
import { respondWithPage } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type { ConnectionRow, DatabaseRow, IntactConnectionRow } from "../../store/rows.js";
import type { Job } from "../../context/scheduler.js";
import { requestChange } from "../databases/database-changes.js";
import { generateConnection, generatePassword } from "./connection-creation.js";
import { serializeConnection, serializeConnectionWithSecrets } from "./serialize-connection.js";

/** Returns the connection in the path and its database. */
const requireConnection = (
  call: OperationCall,
  id: string,
): { connection: ConnectionRow; database: DatabaseRow } => {
  const connection = requireAccess(call, "connection", id);
  return { connection, database: requireAccess(call, "database", connection.databaseId) };
};

const respondWithSecrets = (
  status: 200 | 201,
  context: OperationContext,
  connection: IntactConnectionRow,
  jobBeforeResponse: Job,
): SuccessResponse => ({
  status,
  body: { data: serializeConnectionWithSecrets(context, connection) },
  after: jobBeforeResponse,
});

const respondWithNewConnection = (
  status: 200 | 201,
  { context }: OperationCall,
  database: DatabaseRow,
  name: string,
): SuccessResponse => {
  const connection = generateConnection(context, database, name);
  const job = requestChange(context, database, { type: "createConnection", connection });
  return respondWithSecrets(status, context, connection, job);
};

/** The handlers of the operations of connections. */
export const connectionHandlers = {
  "databases.connections.list": defineHandler("databases.connections.list", {
    check: (call) => requireAccess(call, "database", call.path.databaseId),
    execute: (call, database) =>
      respondWithPage(call, call.context.store.connections, { databaseId: database.id }, serializeConnection),
  }),

  "databases.connections.create": defineHandler("databases.connections.create", {
    check: (call) => requireAccess(call, "database", call.path.databaseId),
    execute: (call, database) => respondWithNewConnection(200, call, database, call.body.name),
  }),

  "connections.list": defineHandler("connections.list", {
    check: () => undefined,
    execute: (call) =>
      respondWithPage(
        call,
        call.context.store.connections,
        { workspaceId: call.principal.workspaceId, databaseId: call.query.databaseId },
        serializeConnection,
      ),
  }),

  "connections.create": defineHandler("connections.create", {
    check: (call) => requireAccess(call, "database", call.body.databaseId),
    execute: (call, database) => respondWithNewConnection(201, call, database, call.body.name),
  }),

  "connections.get": defineHandler("connections.get", {
    check: (call) => requireAccess(call, "connection", call.path.id),
    execute: ({ context }, connection) => ({
      status: 200,
      body: { data: serializeConnection(context, connection) },
    }),
  }),

  "connections.delete": defineHandler("connections.delete", {
    check: (call) => requireConnection(call, call.path.id),
    execute: ({ context }, { connection, database }) => ({
      status: 204,
      after: requestChange(context, database, { type: "deleteConnection", connectionId: connection.id }),
    }),
  }),

  "connections.rotate": defineHandler("connections.rotate", {
    check: (call) => requireConnection(call, call.path.id),
    execute: ({ context }, { connection, database }) => {
      const pass = generatePassword(context);
      const change = { type: "setPassword", connectionId: connection.id, pass } as const;
      return respondWithSecrets(
        200,
        context,
        { ...connection, pass },
        requestChange(context, database, change),
      );
    },
  }),
};
