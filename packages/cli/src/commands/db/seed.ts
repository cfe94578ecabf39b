import { collectGlobalFlags } from "../../command-line/global-options.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { RestoreResult } from "./restore-result.js";
import type { SeedFlags } from "./run-seed.js";
import { addDatabaseArgument } from "./options.js";

export const dbSeedCommand: HandwrittenCommand<RestoreResult> = {
  commandPath: "db seed",
  order: 40,
  summary: "Run a file of SQL on a database",
  description:
    "Runs a file of SQL on a database, in one transaction unless it has transactions of its own. Commands of psql, such as \\i, " +
    "are refused without --allow-meta-commands. Asks first if tables have rows; the tables in which tools record migrations do not " +
    "count.",
  examples: ["mgmt db seed", "mgmt db seed shop/reports --file seed.sql"],
  confirms: true,
  define: (command, context) => {
    addDatabaseArgument(command, "write to");
    command
      .option("--file <path>", "SQL to run, or - for standard input (default: seed.sql)")
      .option(
        "--allow-meta-commands",
        "have psql run the file with commands such as \\i and \\copy, which can run programs on this machine",
      );
    addProjectOption(command);
    command.action(async () => {
      const { file = "seed.sql", allowMetaCommands = false } = command.opts<Partial<SeedFlags>>();
      const { runSeed } = await import("./run-seed.js");
      await runSeed(command.args[0], { file, allowMetaCommands }, collectGlobalFlags(command), context);
    });
  },
};
