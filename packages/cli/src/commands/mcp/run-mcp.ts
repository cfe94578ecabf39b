import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { startedOnTerminalError } from "../../errors/mcp-errors.js";
import type { Context, GlobalFlags } from "../../input/context.js";
import { rejectDash } from "../../input/reject-dash.js";
import { MessageFilter } from "../../mcp/message-filter.js";
import { startMcpServer } from "../../mcp/start-server.js";

export interface McpFlags {
  readonly readOnly?: boolean;
  /** True if it has no value. */
  readonly project?: string | true;
  readonly tools: "core" | "all";
  readonly folder?: string;
  readonly allowUserWrites?: boolean;
  readonly auditFile?: string;
}

/** Serves the client at the other end of standard input and output, until it closes them. */
export const runMcp = async (
  { readOnly = false, project, tools, folder, allowUserWrites = false, auditFile }: McpFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  rejectDash("--folder", folder, "folder");
  rejectDash("--audit-file", auditFile, "file");
  const { signal, output, stdin } = context;
  if (stdin.isTTY) throw startedOnTerminalError();
  // A client shows output on standard error as a failure.
  output.announcesDelays = false;
  const messages = new MessageFilter((line) => void output.stdout.write(line));
  const transport = new StdioServerTransport(messages, output.stdout);
  const server = await startMcpServer(
    {
      isReadOnly: readOnly,
      allowsUserWrites: allowUserWrites,
      includesAllTools: tools === "all",
      projectLimit: project,
      folder,
      auditFile,
    },
    flags,
    context,
    transport,
  );
  const close = (): void => void server.close();
  signal.addEventListener("abort", close, { once: true });
  stdin.once("close", close).once("error", close);
  stdin.pipe(messages);
  await server.closed;
  // Standard input would keep the process running.
  stdin.unpipe(messages).pause();
};
