import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { Client, type ClientOptions, type CallToolResult } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import manifest from "../../package.json";
import { InputSources } from "../../src/input/sources.js";
import type { Context } from "../../src/input/context.js";
import { startMcpServer, type StartOptions } from "../../src/mcp/start-server.js";
import { Output } from "../../src/output/output.js";
import { Interruption } from "../../src/system/interruption.js";
import { InsecureUrlGuard } from "../../src/transport/insecure-url-guard.js";
import { UnconfirmedChangeTracker } from "../../src/transport/unconfirmed-changes.js";

/** A client that is connected to a server in the same process. */
export interface ConnectedClient {
  readonly client: Client;
  /** Calls a tool, and returns its result as data. */
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<ToolData>;
  /** Everything that the server has sent to the client or printed. */
  readonly transcript: () => string;
  readonly close: () => Promise<void>;
}

/** Fields of the results of tools, as tests read them. */
export type ToolData = Record<string, unknown> & { readonly isError: boolean };

export interface ClientSetup {
  readonly env: NodeJS.ProcessEnv;
  /** Working directory. */
  readonly cwd: string;
  readonly options?: Partial<StartOptions>;
  readonly clientOptions?: ClientOptions;
  /** Called before the client connects, to answer questions of the server. */
  readonly prepare?: (client: Client) => void;
}

/** Starts a server, and connects a client of the newest protocol to it unless the options say otherwise. */
export const connectClient = async ({
  env,
  cwd,
  options = {},
  clientOptions = { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  prepare,
}: ClientSetup): Promise<ConnectedClient> => {
  const [serverEnd, clientEnd] = InMemoryTransport.createLinkedPair();
  const { context, printed } = createContext(env, cwd);
  let sent = "";
  const send = serverEnd.send.bind(serverEnd);
  serverEnd.send = (message, sendOptions) => {
    sent += `${JSON.stringify(message)}\n`;
    return send(message, sendOptions);
  };
  const server = await startMcpServer(
    {
      isReadOnly: false,
      allowsUserWrites: false,
      includesAllTools: false,
      auditFile: "audit/mcp.jsonl",
      ...options,
    },
    {},
    context,
    serverEnd,
  );
  const client = new Client({ name: "test", version: "1.0.0" }, clientOptions);
  prepare?.(client);
  await client.connect(clientEnd);
  return {
    client,
    call: async (name, args = {}) => toData(await client.callTool({ name, arguments: args })),
    transcript: () => sent + printed(),
    close: async () => {
      await client.close();
      await server.close();
      await server.closed;
    },
  };
};

export const toData = ({ structuredContent, isError = false }: CallToolResult): ToolData => ({
  ...(structuredContent as Record<string, unknown>),
  isError,
});

/** Returns the environment of a run, and what it has printed. */
export const createContext = (
  env: NodeJS.ProcessEnv,
  cwd: string,
): { context: Context; printed: () => string } => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let text = "";
  for (const stream of [stdout, stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => (text += part));
    Object.assign(stream, { _isStdio: true });
  }
  const signals = new EventEmitter();
  const interruption = new Interruption({
    on: (signal, listener) => signals.on(signal, listener),
    exit: (code) => {
      throw new Error(`The server exited with ${String(code)}`);
    },
  });
  const { signal } = interruption;
  const output = new Output("json", { stdout, stderr }, env, interruption, 2 ** 31 - 1);
  const sources = new InputSources({ stdin }, cwd, signal, () => undefined);
  return {
    context: {
      ...{ version: manifest.version, output, env, cwd, signal, interruption, sources },
      insecureUrls: new InsecureUrlGuard(output),
      stdin: stdin as unknown as NodeJS.ReadStream,
      stderr: stderr as unknown as NodeJS.WriteStream,
      changeTracker: new UnconfirmedChangeTracker(),
      answers: [],
    },
    printed: () => text,
  };
};
