import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createMcpHandler, hostHeaderValidationResponse } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createContext } from "../../packages/cli/test/mcp/mcp-client.js";
import { prepareMcpServer } from "../../packages/cli/src/mcp/start-server.js";
import { npm } from "../runtimes/npm.js";
import { type DevProcess, startDev } from "../security/dev-process.js";
import { runCommand } from "../security/run-command.js";
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

it("works with the inspector on its command line", async () => {
  const { command, args, env }: Started = serverCommand({
    cwd: folder,
    env: { MGMT_CONFIG_DIR: dev.configDir, XDG_STATE_HOME: folder },
    flags: ["--profile", "agent"],
  });
  // The inspector passes on only the variables that it is told.
  const variables = ["MGMT_CONFIG_DIR", "XDG_STATE_HOME"].flatMap((name) => [
    "-e",
    `${name}=${env[name] ?? ""}`,
  ]);
  const inspect = async (...words: string[]): Promise<string> => {
    const program = inPrograms("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    const { stdout } = await run(
      inPrograms("node-22/bin/node"),
      [program, "--cli", ...words, ...variables, "--cwd", folder, command, ...args],
      { cwd: folder, env: { ...env, MCP_CATALOG_PATH: join(folder, "catalog.json") } },
    );
    return stdout;
  };
  expect(await inspect("--method", "tools/list", "--strict")).toContain('"databases_ensure"');
  const context = await inspect("--method", "tools/call", "--tool-name", "context");
  expect(context).toContain("agent_token");
}, 120_000);
