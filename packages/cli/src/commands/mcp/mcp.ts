import { Option } from "commander";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { projectLimitText } from "../../mcp/project-limit-text.js";
import type { McpFlags } from "./run-mcp.js";

/** Declares the command `mgmt mcp`. */
export const mcpCommand: HandwrittenCommand = {
  commandPath: "mcp",
  helpGroup: "machine",
  order: 220,
  summary: "Serve coding agents over the Model Context Protocol",
  description:
    "Serves a coding agent over the Model Context Protocol, on standard input and output, until the agent closes them. Clients start it " +
    "themselves.\n\n" +
    "The agent sees no secret: connection strings are written into env files of the folder. With the credential of an agent, what cannot be " +
    "undone needs the approval of its sponsor. With your own credential, the agent can only read.",
  examples: ["mgmt mcp", "mgmt mcp --read-only", "mgmt mcp --project --folder ."],
  define: (command, context) => {
    command
      .option("--read-only", "offer only tools that read; wins over every other option")
      .option("--project [id]", projectLimitText)
      .addOption(
        new Option("--tools <set>", "core: about 20 tools; all: one for every operation too")
          .choices(["core", "all"])
          .default("core"),
      )
      .option("--folder <path>", "workspace folder, where env files are written (default: the current one)")
      .option(
        "--allow-user-writes",
        "let the agent change something with your own credential; the client asks you each time",
      )
      .option(
        "--audit-file <path>",
        "file that gets a line for every call (default: mcp-audit.jsonl in the user's folder for application state)",
      );
    command.action(async () => {
      const { runMcp } = await import("./run-mcp.js");
      await runMcp(command.opts<McpFlags>(), collectGlobalFlags(command), context);
    });
  },
};
