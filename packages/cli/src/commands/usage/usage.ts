import { Option } from "commander";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { invalidValueError } from "../../errors/usage-errors.js";
import { parsePeriod } from "../../input/duration.js";
import type { UsageGrouping, UsageResult } from "./gather-usage.js";

interface UsageFlags {
  readonly projectId?: string;
  readonly allProjects?: boolean;
  readonly by: UsageGrouping;
  readonly since?: string;
}

/** `mgmt usage`. */
export const usageCommand: HandwrittenCommand<UsageResult> = {
  commandPath: "usage",
  helpGroup: "provisioning",
  order: 80,
  summary: "Show what databases, projects, or previews use",
  description:
    "Shows the operations and the storage of the databases of the project that commands use, or else of all projects, in a period, by " +
    "default from the start of the month. Operations are counted, and storage is in GiB. A service without a history, such as mgmt dev, counts since the database " +
    "was created or last restored. JSON has the exact numbers. A database that is " +
    "deleted meanwhile is left out, with a note. mgmt databases usage get shows one database.",
  examples: [
    "mgmt usage",
    "mgmt usage --all-projects --by project --since 7d",
    "mgmt usage --by preview --output csv",
  ],
  define: (command, context) => {
    command
      .option("--project-id <id>", "project to show, by id or name (default: the one that commands use)")
      .addOption(new Option("--all-projects", "show all projects of the workspace").conflicts("projectId"))
      .addOption(
        new Option("--by <resource>", "what a line is about; preview has the rest of a project as one line")
          .choices(["database", "project", "branch", "preview"])
          .default("database"),
      )
      .option(
        "--since <duration>",
        "how long ago the period starts, such as 12h, 7d or 2w (default: the start of the month)",
      );
    command.action(async () => {
      const { projectId, allProjects = false, by, since } = command.opts<UsageFlags>();
      const sinceMs = since === undefined ? undefined : parsePeriod(since, "--since");
      if (sinceMs === 0)
        throw invalidValueError("--since", "cannot be 0", "Use a time such as 12h, 7d or 2w.");
      const { runUsage } = await import("./run-usage.js");
      await runUsage({ projectId, allProjects, by, sinceMs }, collectGlobalFlags(command), context);
    });
  },
};
