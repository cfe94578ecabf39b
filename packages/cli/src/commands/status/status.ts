import { Option } from "commander";
import { parseDuration } from "../../input/duration.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { StatusResult } from "./gather-status.js";

interface StatusFlags {
  readonly projectId?: string;
  readonly watch?: boolean;
  readonly interval?: string;
}

export const statusCommand: HandwrittenCommand<StatusResult> = {
  commandPath: "status",
  helpGroup: "machine",
  order: 10,
  summary: "Show the project of this folder and its databases",
  description:
    "Shows what commands use in this folder: the service, the project with its databases, their size and connections, the " +
    "preview of the git branch, and, on a service of mgmt dev, how many requests of agents wait for an approval.",
  examples: ["mgmt status", "mgmt status --project-id shop --output json"],
  define: (command, context) => {
    command
      .option("--project-id <id>", "project to show, by id or name (default: the one that commands use)")
      .option(
        "--watch",
        "show it again when it changes, until Ctrl-C; a line for each change unless this is a terminal",
      )
      .addOption(
        new Option("--interval <time>", "how often --watch asks the service (default: 5s)").implies({
          watch: true,
        }),
      );
    command.action(async () => {
      const { projectId, watch = false, interval = "5s" } = command.opts<StatusFlags>();
      const intervalMs = parseDuration(interval, "--interval");
      const { runStatus } = await import("./run-status.js");
      await runStatus(
        { projectId, intervalMs: watch ? intervalMs : undefined },
        collectGlobalFlags(command),
        context,
      );
    });
  },
};
