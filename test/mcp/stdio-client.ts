import { Client, type CallToolResult, type ClientCapabilities } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bin } from "../../packages/cli/test/bin.js";

/** A client of a `mgmt mcp` in a process of its own. */
export interface StdioClient {
  readonly client: Client;
  /** Calls a tool, and returns its structured result. */
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<Record<string, unknown>>;
  /** Everything that the client received, and what the server printed on standard error. */
  readonly transcript: () => string;
  /** Ends the server without a chance to clean up. */
  readonly kill: () => void;
  readonly close: () => Promise<void>;
}

export interface StdioSetup {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Default: none. */
  readonly capabilities?: ClientCapabilities;
  /** Called before the client connects, to answer questions of the server. */
  readonly prepare?: (client: Client) => void;
}

/** Returns how to start the server. It inherits no variables but `PATH` and `HOME`. */
export const serverCommand = ({ cwd, env, flags = [] }: StdioSetup) => ({
  command: process.execPath,
  args: [bin, "mcp", ...flags],
  cwd,
  env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
});

/** Starts the server, and connects the client of the newest version to it. */
export const connectStdio = async (setup: StdioSetup): Promise<StdioClient> => {
  const transport = new StdioClientTransport({ ...serverCommand(setup), stderr: "pipe" });
  let text = "";
  transport.stderr?.on("data", (part: Buffer) => (text += String(part)));
  const client = new Client(
    { name: "stdio-test", version: "1.0.0" },
    {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      ...(setup.capabilities && { capabilities: setup.capabilities }),
    },
  );
  setup.prepare?.(client);
  await client.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    text += `${JSON.stringify(message)}\n`;
    onmessage?.(message);
  };
  return {
    client,
    call: async (name, args = {}) => dataOf(await client.callTool({ name, arguments: args })),
    transcript: () => text,
    kill: () => {
      if (transport.pid !== null) process.kill(transport.pid, "SIGKILL");
    },
    close: () => client.close(),
  };
};

export const dataOf = ({ structuredContent }: Pick<CallToolResult, "structuredContent">) => ({
  ...(structuredContent as Record<string, unknown> | undefined),
});
