import type { Connection, ConnectionWithSecrets, MgmtClient } from "@mgmt/sdk";
import { connectionString } from "../../sdk/sdk.js";
import { type EnvTarget, openEnvTarget } from "../env-target.js";
import { writeSecret } from "../run-operation.js";
import type { OperationTool } from "../operation-tool.js";
import { splitArguments } from "../request-parts.js";
import { describeRepetition, sendOnce } from "../send-once.js";
import type { ServerContext } from "../server-context.js";
import type { ToolArguments, ToolCall, ToolResult } from "../tool.js";

type AnyConnection = Connection | ConnectionWithSecrets;

/**
 * Writes the connection string of a connection into an env file.
 *
 * @returns what a model may know of it. Undefined if the service does not return its password.
 */
export const deliverConnection = async (
  connection: AnyConnection,
  target: EnvTarget,
  server: ServerContext,
): Promise<ToolResult | undefined> => {
  const { directConnection, endpoints } = connection;
  if (!directConnection) return undefined;
  const secret = connectionString({ directConnection, endpoints });
  server.redactor.addSecret(directConnection.pass);
  const written = await writeSecret(secret, target, server);
  return {
    connectionId: connection.id,
    host: directConnection.host,
    user: directConnection.user,
    ...written,
  };
};

/** Creates a connection, or uses the existing connection with the same name, so that a repeated call does not create another one. */
export const createConnection = async (
  tool: OperationTool,
  callArguments: ToolArguments,
  { signal }: Pick<ToolCall, "signal">,
  server: ServerContext,
): Promise<ToolResult> => {
  const args = await server.scope.restrictArguments(tool, callArguments, signal);
  const { body = {} } = splitArguments(tool, args);
  const [databaseId, name] = [String(body["databaseId"]), String(body["name"])];
  const target = await openEnvTarget(args, server.folder, server.context);
  return server.mutex.run([databaseId], () =>
    createOrFind({ databaseId, name }, args, target, signal, server),
  );
};

const createOrFind = async (
  { databaseId, name }: { readonly databaseId: string; readonly name: string },
  args: ToolArguments,
  target: EnvTarget,
  signal: AbortSignal,
  server: ServerContext,
): Promise<ToolResult> => {
  const client = await server.session.getClient();
  const connections = await listConnections(client, databaseId, signal);
  const existing = connections.find((connection) => connection.name === name);
  if (existing) {
    if (server.session.isDryRun)
      return { status: "dry_run", action: "none", requests: [], connectionId: existing.id };
    const delivered = await deliverConnection(existing, target, server);
    return delivered ? { created: false, ...delivered } : unreadable(existing.id, args);
  }
  const connection = await client.connections.create({ databaseId, name }, { signal });
  return { created: true, ...(await deliverConnection(connection, target, server)) };
};

/** Replaces the password of a connection. */
export const rotateConnection = async (
  tool: OperationTool,
  callArguments: ToolArguments,
  { signal }: Pick<ToolCall, "signal">,
  server: ServerContext,
): Promise<ToolResult> => {
  const args = await server.scope.restrictArguments(tool, callArguments, signal);
  const target = await openEnvTarget(args, server.folder, server.context);
  const client = await server.session.getClient();
  const id = String(args["connectionId"]);
  const sent = await sendOnce(
    { operation: tool.operation, parts: splitArguments(tool, args), again: args["again"] },
    () => client.connections.rotate(id, { signal }),
    server,
    signal,
  );
  if ("response" in sent) return { ...(await deliverConnection(sent.response, target, server)) };
  // The file has the new password only if the earlier call came so far.
  const delivered = await deliverConnection(await client.connections.get(id, { signal }), target, server);
  return { connectionId: id, ...delivered, ...describeRepetition(sent.doneAt) };
};

/** Returns all connections of a database, on all pages of the list. */
export const listConnections = (
  client: MgmtClient,
  databaseId: string,
  signal: AbortSignal,
): Promise<Connection[]> => client.databases.connections.list(databaseId, undefined, { signal }).toArray();

/** The result for a connection whose password the service does not return again. */
const unreadable = (connectionId: string, { envFile, envName }: ToolArguments): ToolResult => ({
  status: "exists",
  connectionId,
  message:
    "The connection exists, and its password cannot be read again. Rotate it, or create one with another name.",
  next: [
    {
      tool: "connections_rotate",
      arguments: {
        connectionId,
        ...(envFile !== undefined && { envFile }),
        ...(envName !== undefined && { envName }),
      },
    },
  ],
});
