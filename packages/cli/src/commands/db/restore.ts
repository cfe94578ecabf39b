import { missingInputError } from "../../errors/usage-errors.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { RestoreResult } from "./restore-result.js";
import type { RestoreFlags } from "./run-restore.js";
import { addDatabaseArgument, formatCleanHelp } from "./options.js";

export const dbRestoreCommand: HandwrittenCommand<RestoreResult> = {
  commandPath: "db restore",
  order: 20,
  summary: "Put a dump back into a database",
  description:
    "Puts a dump of pg_dump back into a database, in one transaction: all of it or nothing. Reads all forms, also compressed with " +
    "gzip, and runs no command of psql. Asks first if the database has tables.",
  examples: ["mgmt db restore shop/reports --file reports.dump --yes"],
  confirms: true,
  define: (command, context) => {
    addDatabaseArgument(command, "write to");
    command
      .option("--file <path>", "dump to read, or - for standard input (required)")
      .option("--clean", `${formatCleanHelp("the dump")}; needs the custom format`);
    addProjectOption(command);
    command.action(async () => {
      const { file, clean = false } = command.opts<Partial<RestoreFlags>>();
      if (file === undefined)
        throw missingInputError("Missing --file", "Pass the path of a dump, or - for standard input.");
      const { runRestore } = await import("./run-restore.js");
      await runRestore(command.args[0], { file, clean }, collectGlobalFlags(command), context);
    });
  },
};
