import { Argument, Option } from "commander";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { fileScopes } from "../../files/client-file.js";
import { assertPathId } from "../../input/ids.js";
import { rejectDash } from "../../input/reject-dash.js";
import { projectLimitText } from "../../mcp/project-limit-text.js";
import { clientNames } from "./names.js";
import type { InstallFlags, McpInstallResult } from "./run-install.js";

export const mcpInstallCommand: HandwrittenCommand<McpInstallResult> = {
  commandPath: "mcp install",
  order: 10,
  summary: "Add the MCP server to the configuration of a coding agent",
  description:
    "Writes into the configuration of a coding agent that it starts mgmt mcp. Shows the change, and asks before it writes. Everything else in " +
    "the file is unchanged, also comments. The configuration contains no secret: the server uses the profile of its user, or MGMT_TOKEN. " +
    "--profile, --base-url and --token-file are passed on to the server.",
  examples: [
    "mgmt mcp install claude-code",
    "mgmt mcp install cursor --read-only",
    "mgmt mcp install vscode --project shop --scope user --yes",
    "mgmt mcp install claude-code --scope user --folder . --dry-run",
    "mgmt mcp install codex --dry-run",
    "mgmt mcp install zed --remove",
  ],
  confirms: true,
  define: (command, context) => {
    command
      .addArgument(new Argument("[client]", `${clientNames.join(", ")}; default: asks on a terminal`))
      .addOption(
        new Option(
          "--scope <scope>",
          "whether to write the configuration of this folder, or of your user (default: project; codex and zed: user)",
        ).choices(fileScopes),
      )
      .option("--project [id]", projectLimitText)
      .option(
        "--folder <path>",
        "workspace folder of the server, if it is not the folder in which the client starts it",
      )
      .option("--read-only", "start a server that changes nothing")
      .option("--remove", "remove the server from the configuration")
      .option("--dry-run", "show the change, and write nothing");
    command.completeArgument = ({ earlierArguments }) => (earlierArguments.length === 0 ? clientNames : []);
    command.action(async (client: string | undefined) => {
      const flags = command.opts<InstallFlags>();
      if (typeof flags.project === "string") assertPathId("--project", flags.project);
      rejectDash("--folder", flags.folder, "folder");
      const { runMcpInstall } = await import("./run-install.js");
      await runMcpInstall(client, flags, collectGlobalFlags(command), context);
    });
  },
};
