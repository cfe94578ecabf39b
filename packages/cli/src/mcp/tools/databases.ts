import type { Connection, ConnectionWithSecrets, Database, MgmtClient } from "@mgmt/sdk";
import { MgmtError } from "../../sdk/sdk.js";
import { ensureResource, planEnsure } from "../../run/ensure.js";
import { defaultEnvFile, defaultEnvName, openEnvTarget } from "../env-target.js";
import { loadDefinition } from "../operations.js";
import { splitArguments } from "../request-parts.js";
import { completeBody, listRequests, runOperation } from "../run-operation.js";
import type { OperationTool } from "../operation-tool.js";
import type { ServerContext } from "../server-context.js";
import { remainingMs, type ToolArguments, type ToolCall, type ToolResult } from "../tool.js";
import { deliverConnection, listConnections } from "./connections.js";

/** Name of the connection that is created for a new database, as the SDK calls it. */
const connectionName = "mgmt";

/**
 * Creates a database unless it exists, waits until it is ready, and writes a connection string into an env file. A call that ends before
 * can be repeated.
 */
export const ensureDatabase = async (
  tool: OperationTool,
  callArguments: ToolArguments,
  call: ToolCall,
  server: ServerContext,
): Promise<ToolResult> => {
  const { signal } = call;
  const args = await server.scope.restrictArguments(tool, callArguments, signal);
  const parts = splitArguments(tool, args);
  const target = await openEnvTarget(args, server.folder, server.context);
  const client = await server.session.getClient();
  const definition = await loadDefinition(tool.operation);
  const { credentials: _, ...create } = definition;
  const body = (await completeBody(create, parts, server, signal)) ?? {};
  if (server.session.isDryRun) {
    const { envFile = defaultEnvFile, envName = defaultEnvName } = args;
    const plan = await planEnsure(create, {}, body, client, { signal });
    const requests = listRequests(plan, definition, { ...parts, body });
    return { status: "dry_run", ...plan, requests, wouldWrite: { envFile, envName } };
  }
  const { created, resource } = await ensureResource(create, {}, body, client, { signal });
  const id = String(resource["id"]);
  call.report(`Database ${id} ${created ? "was created" : "exists"}`);
  const database = await waitUntilReady(id, call, client);
  const commonFields = { databaseId: id, created };
  if (!database)
    return {
      ...commonFields,
      status: "provisioning",
      next: [{ tool: call.tool, arguments: call.arguments }],
    };
  const connection = await server.mutex.run([id], () => findOrCreateConnection(database, client, signal));
  return { ...commonFields, status: "ready", ...(await deliverConnection(connection, target, server)) };
};

/** Returns a connection whose password the service returns: the default connection, or another one, or else a new one. */
const findOrCreateConnection = async (
  database: Database,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Connection | ConnectionWithSecrets> => {
  const connections = await listConnections(client, database.id, signal);
  const readable = connections.filter(({ directConnection }) => directConnection);
  const connection = readable.find(({ id }) => id === database.defaultConnectionId) ?? readable[0];
  return (
    connection ?? client.connections.create({ databaseId: database.id, name: connectionName }, { signal })
  );
};

/**
 * Restores a database, and waits until it is ready again. The same call starts no other restore, whether that is in progress or done.
 */
export const restoreDatabase = async (
  tool: OperationTool,
  args: ToolArguments,
  call: ToolCall,
  server: ServerContext,
): Promise<ToolResult> => {
  const client = await server.session.getClient();
  const id = String(args["targetDatabaseId"]);
  const repetition = await startRestore(tool, args, call, server);
  const database = await waitUntilReady(id, call, client);
  const commonFields = { databaseId: id, ...repetition };
  return database
    ? { ...commonFields, status: "ready" }
    : {
        ...commonFields,
        status: "recovering",
        next: [{ tool: "databases_get", arguments: { databaseId: id } }],
      };
};

/** Returns the fields of the result if this call has started nothing. */
const startRestore = async (
  tool: OperationTool,
  args: ToolArguments,
  call: ToolCall,
  server: ServerContext,
): Promise<ToolResult> => {
  try {
    const { alreadyDone, message } = await runOperation(tool, args, call, server);
    return alreadyDone === undefined ? {} : { alreadyDone, message };
  } catch (error) {
    if (!(error instanceof MgmtError) || error.code !== "database:busy") throw error;
    const client = await server.session.getClient();
    const database = await client.databases.get(String(args["targetDatabaseId"]), { signal: call.signal });
    if (database.status !== "recovering") throw error;
    return { message: "A restore was under way. This call did not start another one." };
  }
};

/** Returns the database once it is ready, or undefined if it is not yet when the call must end. */
const waitUntilReady = async (
  id: string,
  call: ToolCall,
  client: MgmtClient,
): Promise<Database | undefined> => {
  try {
    return await client.databases.waitUntilReady(id, {
      signal: call.signal,
      timeoutMs: remainingMs(call),
      onProgress: ({ status }) => call.report(`Database ${id} is ${status}`),
    });
  } catch (error) {
    if (error instanceof MgmtError && error.code === "wait:timeout") return undefined;
    throw error;
  }
};
