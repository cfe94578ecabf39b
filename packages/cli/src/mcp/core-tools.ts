import type { CheckedSchema } from "../json/schema-problems.js";
import {
  againArgument,
  assertArguments,
  dryRunArgument,
  envArguments,
  extendSchema,
  normalizeArguments,
} from "./argument-schemas.js";
import { unlistedToolError } from "../errors/mcp-errors.js";
import { operationTools } from "./generated/operation-tools.js";
import { requireOperationTool } from "./operations.js";
import type { InputSchema, OperationTool, ToolAnnotations } from "./operation-tool.js";
import { assertNoSecretArguments, runOperation } from "./run-operation.js";
import type { ServerContext } from "./server-context.js";
import type { Tool, ToolArguments, ToolCall, ToolResult } from "./tool.js";
import { waitForApproval } from "./tools/approvals.js";
import { createConnection, rotateConnection } from "./tools/connections.js";
import { describeContext, type ServerInfo } from "./tools/context.js";
import { ensureDatabase, restoreDatabase } from "./tools/databases.js";
import { runQuery } from "./tools/query.js";
import { searchOperations } from "./tools/search-operations.js";

type RunTool = (
  tool: OperationTool,
  args: ToolArguments,
  call: ToolCall,
  server: ServerContext,
) => Promise<ToolResult>;

interface CoreTool {
  /** Name of the generated tool. */
  readonly from: string;
  /** Default: the name of the generated tool. */
  readonly name?: string;
  readonly description: string;
  /** Arguments that are left out, because agents rarely need them. */
  readonly without?: readonly string[];
  /** Default: the operation is called. */
  readonly run?: RunTool;
  /** Whether it writes a secret into an env file. Default: as the generated tool. */
  readonly writesEnvFile?: true;
}

/** The tools for operations, in the order of the list. Their schemas and annotations are generated. */
const coreTools: readonly CoreTool[] = [
  { from: "regions_list", description: "List regions." },
  { from: "projects_list", description: "List projects." },
  { from: "projects_get", description: "Get a project." },
  { from: "databases_list", description: "List databases, by default of the linked project." },
  { from: "databases_get", description: "Get a database: status, connections." },
  { from: "databases_backups_list", description: "List backups of a database." },
  {
    from: "projects_ensure",
    description: "Create a project unless logicalId exists.",
    without: ["workspaceId"],
  },
  {
    from: "databases_ensure",
    description:
      "Create a database unless logicalId exists, wait until ready, write its connection string to envFile. Repeat the call while it is provisioning.",
    // The service rejects the name of a branch beside logicalId.
    without: ["branchGitName", "isDefault"],
    run: ensureDatabase,
    writesEnvFile: true,
  },
  {
    from: "projects_branches_ensure",
    name: "branches_ensure",
    description: "Create a branch unless gitName exists.",
    without: ["isDefault"],
  },
  {
    from: "connections_create",
    description: "Create a connection unless the name exists; write its connection string to envFile.",
    run: createConnection,
  },
  {
    from: "databases_restore",
    description: "Replace a database by a backup. Needs approval.",
    run: restoreDatabase,
  },
  { from: "databases_delete", description: "Delete a database. Needs approval." },
  {
    from: "connections_rotate",
    description: "Replace a password; write the new connection string to envFile. Needs approval.",
    run: rotateConnection,
  },
  { from: "branches_delete", description: "Delete a branch. Needs approval." },
];

/** Returns the tools of a server in the order of its list, the readers and the writers. */
export const createTools = (
  server: ServerContext,
  serverInfo: ServerInfo,
  { includesAll }: { readonly includesAll: boolean },
): Tool[] => {
  const tools = [
    ...createPlainReaders(server, serverInfo),
    ...coreTools.map((tool) => createCoreTool(tool, server)),
    ...createOperationTools(server, serverInfo),
  ];
  const names = new Set(tools.map(({ name }) => name));
  const otherTools = includesAll
    ? operationTools.filter(({ name, secretArguments }) => !names.has(name) && !secretArguments)
    : [];
  return [
    ...tools,
    ...otherTools.map((tool) => createCoreTool({ from: tool.name, description: `${tool.summary}.` }, server)),
  ].filter(({ annotations }) => !serverInfo.explainRejection || annotations.readOnlyHint);
};

/** Returns a tool that this server lacks, with the error that reports why. Undefined if no server has the tool, whatever its options. */
export const findRejectedTool = (
  name: string,
  server: ServerContext,
  { explainRejection, ...serverInfo }: ServerInfo,
): Tool | undefined => {
  const coreTool = createTools(
    server,
    { ...serverInfo, explainRejection: undefined },
    { includesAll: false },
  ).find((candidate) => candidate.name === name);
  const isOperation = operationTools.some((candidate) => candidate.name === name);
  const tool =
    coreTool ?? (isOperation ? createCoreTool({ from: name, description: "" }, server) : undefined);
  if (!tool) return undefined;
  const isReader = tool.annotations.readOnlyHint;
  const rejection =
    explainRejection && !isReader
      ? explainRejection(name)
      : unlistedToolError(name, isReader ? "read" : "write");
  return { ...tool, rejection };
};

const createCoreTool = (
  { from, name = from, description, without = [], run = runOperation, writesEnvFile }: CoreTool,
  server: ServerContext,
): Tool => {
  const tool = operationTools.find((candidate) => candidate.name === from);
  if (!tool) throw new Error(`There is no generated tool ${from}`);
  const { properties } = tool.inputSchema;
  const schema: InputSchema = {
    ...tool.inputSchema,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([property]) => !without.includes(property)),
    ),
  };
  return {
    name,
    description,
    operation: tool.operation,
    annotations: tool.annotations,
    inputSchema: extendSchema(
      schema,
      (writesEnvFile ?? tool.issuesSecrets) ? envArguments : {},
      tool.annotations.readOnlyHint ? {} : dryRunArgument,
      canBeRepeated(tool) ? againArgument : {},
    ),
    run: (args, call) => run(tool, args, call, server),
  };
};

/** A deleted resource cannot be deleted again, and an update sets the same values again. */
const canBeRepeated = ({ annotations, operation }: OperationTool): boolean =>
  annotations.destructiveHint && !/\.(?:delete|update)$/.test(operation);

const readerAnnotations: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
};

const text: CheckedSchema = { type: "string" };

/** The readers that are no operation. */
const createPlainReaders = (server: ServerContext, serverInfo: ServerInfo): Tool[] => [
  {
    name: "context",
    description: "Show the credential, project, folder and what may be changed.",
    annotations: readerAnnotations,
    inputSchema: { type: "object", properties: {} },
    run: () => describeContext(server, serverInfo),
  },
  {
    name: "query",
    description: "Run one read-only SQL statement; at most 100 rows.",
    annotations: readerAnnotations,
    inputSchema: {
      type: "object",
      properties: { databaseId: text, sql: { ...text, minLength: 1, maxLength: 20_000 } },
      required: ["databaseId", "sql"],
    },
    resultNames: "columns",
    run: (args, call) => runQuery(args, call, server),
  },
  {
    name: "approval_wait",
    description: "Wait until the sponsor decides.",
    operation: "agentApprovals.get",
    annotations: readerAnnotations,
    inputSchema: { type: "object", properties: { approvalId: text }, required: ["approvalId"] },
    run: (args, call) => waitForApproval(args, call, server),
  },
];

/** The tools for all operations that have none of their own. */
const createOperationTools = (server: ServerContext, { explainRejection }: ServerInfo): Tool[] => {
  const argumentsSchema: CheckedSchema = { type: "object" };
  const schema: InputSchema = {
    type: "object",
    properties: { operation: { ...text, maxLength: 128 }, arguments: argumentsSchema },
    required: ["operation"],
  };
  const resolve = (
    kind: "read" | "write",
    { operation, arguments: operationArguments = {} }: ToolArguments,
  ) => {
    const tool = requireOperationTool(String(operation), kind, explainRejection);
    // The schema of the tool requires an object.
    return {
      tool,
      innerArguments: normalizeArguments(tool.inputSchema, operationArguments as ToolArguments),
    };
  };
  const check = (kind: "read" | "write") => async (args: ToolArguments) => {
    const { tool, innerArguments } = resolve(kind, args);
    await assertNoSecretArguments(tool);
    assertArguments(String(args["operation"]), tool.inputSchema, innerArguments);
  };
  const run = (kind: "read" | "write") => (args: ToolArguments, call: ToolCall) => {
    const { tool, innerArguments } = resolve(kind, args);
    const { envFile, envName, again } = args;
    // Uses the same protection against repeated calls as the operation's own tool.
    const { run: runTool = runOperation } = coreTools.find(({ from }) => from === tool.name) ?? {};
    return runTool(tool, { ...innerArguments, envFile, envName, again }, call, server);
  };
  return [
    {
      name: "operations_search",
      description: "Find other operations and their arguments.",
      annotations: readerAnnotations,
      inputSchema: {
        type: "object",
        properties: { words: { ...text, maxLength: 1_000 } },
        required: ["words"],
      },
      resultNames: "arguments",
      run: (args) => searchOperations(args, explainRejection),
    },
    {
      name: "operation_read",
      description: "Call a reading operation.",
      annotations: readerAnnotations,
      inputSchema: schema,
      check: check("read"),
      run: run("read"),
    },
    {
      name: "operation_write",
      description: "Call a changing operation.",
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      inputSchema: extendSchema(schema, envArguments, dryRunArgument, againArgument),
      check: check("write"),
      run: run("write"),
    },
  ];
};
