import type { Call } from "@mgmt/sdk";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { secretArgumentError } from "../errors/mcp-errors.js";
import { isObject, getAtPath } from "../json/json-path.js";
import { findConnectionString } from "../output/connection-string.js";
import { ensureResource, planEnsure } from "../run/ensure.js";
import { NewDatabases } from "../run/new-databases.js";
import { getOverride } from "../contract/command-override.js";
import { type EnvTarget, openEnvTarget, type WrittenSecret } from "./env-target.js";
import { readList } from "./lists.js";
import { omitUrls } from "./omit-urls.js";
import { loadDefinition } from "./operations.js";
import type { OperationTool } from "./operation-tool.js";
import { type RequestParts, splitArguments } from "./request-parts.js";
import { deleteOnce, describeDeletion, describeRepetition, sendOnce } from "./send-once.js";
import type { ServerContext } from "./server-context.js";
import type { PlannedChange } from "./service-session.js";
import type { ToolArguments, ToolCall, ToolResult } from "./tool.js";

/** Throws `mcp:secret_argument` for an operation that needs a secret, which a model must not see. */
export const assertNoSecretArguments = async ({
  operation,
  secretArguments,
}: OperationTool): Promise<void> => {
  if (!secretArguments) return;
  const { commandPath } = await loadDefinition(operation);
  throw secretArgumentError(operation, secretArguments, ["mgmt", ...commandPath]);
};

/** Runs the operation of a tool, and returns its result. Secrets in it are written into the env file that the arguments name. */
export const runOperation = async (
  tool: OperationTool,
  callArguments: ToolArguments,
  call: Pick<ToolCall, "signal">,
  server: ServerContext,
): Promise<ToolResult> => {
  const { session, scope } = server;
  const { signal } = call;
  const definition = await loadDefinition(tool.operation);
  const limit = await scope.getLimit();
  if (tool.operation === "projects.list" && limit !== undefined) return listLimit(limit, server, signal);
  if (definition.method === "DELETE") return runDeletion(tool, definition, callArguments, signal, server);
  const args = await scope.restrictArguments(tool, callArguments, signal);
  const parts = splitArguments(tool, args);
  if (tool.annotations.readOnlyHint) return readOperation(definition, parts, args, server, signal);
  if (tool.ensures) return ensure(tool, parts, server, signal);
  const target = tool.issuesSecrets ? await openEnvTarget(args, server.folder, server.context) : undefined;
  const client = await session.getClient();
  const body = await completeBody(definition, parts, server, signal);
  const send = (): Promise<unknown> =>
    client.request<unknown>(toCall(definition, { ...parts, body }), { signal });
  const sent =
    tool.annotations.destructiveHint && definition.method === "POST"
      ? await sendOnce({ operation: tool.operation, parts, again: args["again"] }, send, server, signal)
      : { response: await send() };
  if ("doneAt" in sent) return { status: "done", ...parts.pathParams, ...describeRepetition(sent.doneAt) };
  const { response } = sent;
  const resource = definition.envelope === "data" ? getAtPath(response, ["data"]) : response;
  if (definition.envelope === "none") return { status: "done", ...parts.pathParams };
  const secret = target && findSecret(resource, definition);
  const written = target && secret !== undefined ? await writeSecret(secret, target, server) : undefined;
  return { ...toFields(omitUrls(resource)), ...written };
};

const runDeletion = async (
  tool: OperationTool,
  definition: GeneratedCommand,
  args: ToolArguments,
  signal: AbortSignal,
  server: ServerContext,
): Promise<ToolResult> => {
  const { session, scope } = server;
  const parts = splitArguments(tool, args);
  const sent = await deleteOnce(
    { operation: tool.operation, parts, again: undefined },
    async () => (await session.getClient()).request<unknown>(toCall(definition, parts), { signal }),
    () => scope.restrictArguments(tool, args, signal),
    server,
  );
  const done = { status: "done", ...parts.pathParams };
  return "doneAt" in sent ? { ...done, ...describeDeletion(sent.doneAt) } : done;
};

const readOperation = async (
  definition: GeneratedCommand,
  parts: RequestParts,
  args: ToolArguments,
  server: ServerContext,
  signal: AbortSignal,
): Promise<ToolResult> => {
  const call = { ...toCall(definition, parts), method: "GET" as const };
  if (definition.envelope === "list") {
    const { cursor } = args;
    return readList(definition, call, typeof cursor === "string" ? cursor : undefined, server, signal);
  }
  const response = await (await server.session.getClient()).request<unknown>(call, { signal });
  return toFields(omitUrls(definition.envelope === "data" ? getAtPath(response, ["data"]) : response));
};

/** Lists only the project that the server is limited to. */
const listLimit = async (
  projectId: string,
  { session }: ServerContext,
  signal: AbortSignal,
): Promise<ToolResult> => {
  const project = await (await session.getClient()).projects.get(projectId, { signal });
  return { items: [omitUrls(project)], nextCursor: null };
};

/** Creates a resource unless it exists. Its secrets are not returned: the tools that write an env file read or create them. */
const ensure = async (
  tool: OperationTool,
  parts: RequestParts,
  server: ServerContext,
  signal: AbortSignal,
): Promise<ToolResult> => {
  const client = await server.session.getClient();
  const definition = await loadDefinition(tool.operation);
  const { credentials: _, ...create } = definition;
  const body = await completeBody(definition, parts, server, signal);
  if (server.session.isDryRun) {
    const plan = await planEnsure(create, parts.pathParams, body ?? {}, client, { signal });
    return { status: "dry_run", ...plan, requests: listRequests(plan, definition, { ...parts, body }) };
  }
  const { created, resource } = await ensureResource(create, parts.pathParams, body ?? {}, client, {
    signal,
  });
  return { created, ...toFields(omitUrls(resource)) };
};

/** Returns the requests that a plan of `ensure` would send. */
export const listRequests = (
  { action }: Readonly<Record<string, unknown>>,
  { method, path }: GeneratedCommand,
  { pathParams, body }: RequestParts,
): PlannedChange[] => {
  if (action !== "create") return [];
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(pathParams[name] ?? ""),
  );
  return [{ method, path: filledPath, body }];
};

/** Returns the body with the name and the region that the command line would choose for a new database. */
export const completeBody = async (
  { id }: GeneratedCommand,
  { pathParams, query, body }: RequestParts,
  { session }: ServerContext,
  signal: AbortSignal,
): Promise<RequestParts["body"]> => {
  if (!getOverride(id).createsDatabase) return body;
  const newDatabases = new NewDatabases(await session.getClient(), signal);
  const { input } = await newDatabases.complete(pathParams, { query, body });
  return input.body;
};

const toCall = ({ method, path }: GeneratedCommand, { pathParams, query, body }: RequestParts): Call => ({
  method,
  path,
  pathParams,
  query,
  ...(body !== undefined && { body }),
});

/** Returns the connection string in a resource, or else the only secret that the contract marks in it. */
const findSecret = (resource: unknown, { secrets }: GeneratedCommand): string | undefined => {
  const connectionString = findConnectionString(resource);
  if (connectionString !== undefined) return connectionString;
  const texts = (secrets?.paths ?? []).flatMap((path) => {
    const value = getAtPath(resource, path.split("."));
    return typeof value === "string" ? [value] : [];
  });
  return new Set(texts).size === 1 ? texts[0] : undefined;
};

/** Writes a secret that the service has returned. */
export const writeSecret = (
  secret: string,
  target: EnvTarget,
  { redactor, mutex }: ServerContext,
): Promise<WrittenSecret> => {
  redactor.addSecret(secret);
  return mutex.run([target.path], () => target.write(secret));
};

const toFields = (value: unknown): ToolResult => (isObject(value) ? value : { value });
