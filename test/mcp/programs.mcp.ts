import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createMcpHandler, hostHeaderValidationResponse } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createContext } from "../../packages/cli/test/mcp/mcp-client.js";
import { prepareMcpServer } from "../../packages/cli/src/mcp/start-server.js";
import { npm } from "../runtimes/npm.js";
import { type DevProcess, startDev } from "../security/dev-process.js";
import { runCommand } from "../security/run-command.js";
import { readContractTools } from "./contract-tools.js";
import { serverCommand } from "./stdio-client.js";

/** Programs of others that check servers. They need Node.js 22, and 330 MB, so that only `npm run test:full -- mcp` installs them. */
const programs = fileURLToPath(new URL("./programs/", import.meta.url));
const inPrograms = (path: string): string => join(programs, "node_modules", path);
const run = promisify(execFile);

/** How the inspector starts the server. */
interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

let dev: DevProcess;
let folder: string;
let server: Server;

const installPrograms = (): void => {
  const lockfile = readFileSync(join(programs, "package-lock.json"), "utf8");
  const stamp = inPrograms(".installed-lockfile");
  const isInstalled = (): boolean => {
    try {
      return readFileSync(stamp, "utf8") === lockfile;
    } catch {
      return false;
    }
  };
  if (isInstalled()) return;
  npm(programs, "ci");
  writeFileSync(stamp, lockfile);
};

beforeAll(async () => {
  installPrograms();
  dev = await startDev();
  folder = mkdtempSync(join(tmpdir(), "mgmt-mcp-programs-"));
  const env = { MGMT_CONFIG_DIR: dev.configDir, XDG_STATE_HOME: folder };
  expect((await runCommand("dev agent", { cwd: folder, env })).status).toBe(0);
  server = await mount(env);
}, 600_000);
afterAll(async () => {
  server.close();
  await dev.stop();
  rmSync(folder, { recursive: true });
});

/** Mounts the server on HTTP, which the command does not do: the scenarios need an address. */
const mount = async (env: NodeJS.ProcessEnv): Promise<Server> => {
  const { context } = createContext(env, folder);
  const { create } = await prepareMcpServer(
    { isReadOnly: false, allowsUserWrites: false, includesAllTools: false },
    { profile: "agent" },
    context,
  );
  const handler = createMcpHandler(create);
  const httpServer = createServer((request, response) => {
    void answer(request, response, (webRequest) => {
      const refusal = hostHeaderValidationResponse(webRequest, ["localhost", "127.0.0.1"]);
      return refusal ? Promise.resolve(refusal) : handler.fetch(webRequest);
    });
  });
  httpServer.listen(0, "127.0.0.1");
  await once(httpServer, "listening");
  return httpServer;
};

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  handle: (webRequest: Request) => Promise<Response>,
): Promise<void> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method = "GET", url = "/", headers } = request;
  const body = Buffer.concat(parts);
  const webRequest = new Request(new URL(url, "http://127.0.0.1"), {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
    ...(body.length > 0 && { body }),
  });
  const result = await handle(webRequest);
  response.writeHead(result.status, Object.fromEntries(result.headers));
  if (result.body) for await (const part of result.body) response.write(part);
  response.end();
};

it("passes the scenarios for servers, but for those that want tools of their own", async () => {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const words = ["server", "--url", `http://127.0.0.1:${port}/mcp`, "--output-dir", join(folder, "results")];
  const program = inPrograms("@modelcontextprotocol/conformance/dist/index.js");
  const { stdout } = await run(
    inPrograms("node-22/bin/node"),
    [program, ...words, "--expected-failures", join(programs, "expected-failures.yaml")],
    { cwd: folder, maxBuffer: 2 ** 26 },
  ).catch((error: { stdout?: string; message: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ""}`);
  });
  expect(stdout).toContain("tools-list");
});

/** Runs the inspector on its command line against a `mgmt mcp` that it starts. Returns what it prints. */
const inspect = async (words: readonly string[], flags: readonly string[] = []): Promise<unknown> => {
  const { command, args, env }: Started = serverCommand({
    cwd: folder,
    env: { MGMT_CONFIG_DIR: dev.configDir, XDG_STATE_HOME: folder },
    flags: ["--profile", "agent", ...flags],
  });
  // The inspector passes on only the variables that it is told.
  const variables = ["MGMT_CONFIG_DIR", "XDG_STATE_HOME"].flatMap((name) => [
    "-e",
    `${name}=${env[name] ?? ""}`,
  ]);
  const program = inPrograms("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const { stdout } = await run(
    inPrograms("node-22/bin/node"),
    [program, "--cli", ...words, ...variables, "--cwd", folder, command, ...args],
    { cwd: folder, env: { ...env, MCP_CATALOG_PATH: join(folder, "catalog.json") } },
  ).catch((error: { readonly stdout?: string; readonly stderr?: string }) => {
    // It exits with an error, too, when it has printed a result that is one.
    if (error.stdout === undefined || error.stderr?.includes('"tool_is_error"') !== true) throw error;
    return { stdout: error.stdout };
  });
  return JSON.parse(stdout);
};

/** Arguments of each tool that has some, in the order of the calls. */
const argumentsOf = (
  ids: Readonly<Record<string, string>>,
): Readonly<Record<string, Record<string, string>>> => {
  const { project = "", database = "", connection = "", branch = "", backup = "" } = ids;
  return {
    query: { databaseId: database, sql: "SELECT 1" },
    approval_wait: { approvalId: "apr_none" },
    projects_get: { projectId: project },
    databases_list: { projectId: project },
    databases_get: { databaseId: database },
    databases_backups_list: { databaseId: database },
    projects_ensure: { logicalId: "inspected" },
    databases_ensure: { projectId: project, logicalId: "inspected" },
    branches_ensure: { projectId: project, gitName: "inspected" },
    connections_create: { databaseId: database, name: "inspected" },
    databases_restore: {
      targetDatabaseId: database,
      source: JSON.stringify({ type: "backup", databaseId: database, backupId: backup }),
    },
    databases_delete: { databaseId: database },
    connections_rotate: { connectionId: connection },
    branches_delete: { branchId: branch },
    operations_search: { words: "list branches" },
    operation_read: {
      operation: "projects.branches.list",
      arguments: JSON.stringify({ projectId: project }),
    },
    operation_write: {
      operation: "projects.update",
      arguments: JSON.stringify({ projectId: project, name: "inspected" }),
    },
  };
};

/** What the calls end with, unless it is a result without a status. */
const expectedOutcomes: Readonly<Record<string, string>> = {
  approval_wait: "approval:not_found",
  // The status of the database.
  databases_get: "ready",
  databases_ensure: "ready",
  databases_restore: "approval_required",
  databases_delete: "approval_required",
  connections_rotate: "approval_required",
  branches_delete: "approval_required",
};

interface ListedTool {
  readonly name: string;
  readonly annotations: object;
  readonly inputSchema: { readonly properties: Record<string, object>; readonly required?: string[] };
}

describe("the inspector on its command line", () => {
  it("lists tools with the annotations and arguments of the contract", async () => {
    const { tools } = (await inspect(["--method", "tools/list", "--strict"], ["--tools", "all"])) as {
      tools: ListedTool[];
    };
    const listed = new Map(tools.map((tool) => [tool.name, tool]));
    const own = ["envFile", "envName", "dryRun", "again", "cursor"];
    // A transfer needs a secret, which is no argument.
    const contractTools = readContractTools().filter(({ name }) => name !== "projects_transfer");
    expect(
      contractTools.map(({ name }) => {
        const { annotations, inputSchema } = listed.get(name) ?? {};
        const { properties = {}, required = [] } = inputSchema ?? {};
        const names = Object.keys(properties).filter((argument) => !own.includes(argument));
        return { name, annotations, names: names.sort(), required: [...required].sort() };
      }),
    ).toEqual(contractTools);
  }, 120_000);

  it("calls each tool", async () => {
    const { tools } = (await inspect(["--method", "tools/list"])) as { tools: ListedTool[] };
    const callArguments = argumentsOf(await seed());
    const outcomes: Record<string, unknown> = {};
    for (const { name } of tools) {
      const words = Object.entries(callArguments[name] ?? {}).flatMap(([key, value]) => [
        "--tool-arg",
        `${key}=${value}`,
      ]);
      const result = (await inspect(["--method", "tools/call", "--tool-name", name, ...words])) as {
        structuredContent: { status?: string; error?: { code: string } };
      };
      const { status, error } = result.structuredContent;
      outcomes[name] = error?.code ?? status ?? "ok";
    }
    expect(outcomes).toEqual(
      Object.fromEntries(tools.map(({ name }) => [name, expectedOutcomes[name] ?? "ok"])),
    );
  }, 240_000);
});

/** Creates what the tools are called with, and returns its ids. */
const seed = async (): Promise<Record<string, string>> => {
  const secret = readFileSync(dev.ready.controlSecretFile, "utf8").trim();
  const control = async (path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`${dev.ready.controlUrl}${path}`, {
      method: "POST",
      headers: { "x-mgmt-control-secret": secret, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { id: string };
  };
  const { id: project } = await control("/seed/project", { name: "shop" });
  const { id: database } = await control("/seed/database", { projectId: project, name: "spare" });
  const { id: connection } = await control("/seed/connection", { databaseId: database, name: "web" });
  const { id: branch } = await control("/seed/branch", { projectId: project, gitName: "old" });
  const { id: backup } = await control(`/databases/${database}/backups`, {});
  return { project, database, connection, branch, backup };
};
