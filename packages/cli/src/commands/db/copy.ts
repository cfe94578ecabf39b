import { Argument } from "commander";
import { completeNames } from "../../command-line/argument-completion.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { CopyFlags, CopyResult } from "./copy-database.js";
import { addCopyOptions } from "./options.js";

export const dbCopyCommand: HandwrittenCommand<CopyResult> = {
  commandPath: "db copy",
  order: 50,
  summary: "Copy a database into another one",
  description:
    "Copies a database of the service into another one, in one transaction and without a file between them. Asks first on a " +
    "terminal, and needs --yes elsewhere if the other has tables. To make a new database from another, use mgmt databases create --source-type database.",
  examples: ["mgmt db copy shop/catalog shop/reports --clean --yes"],
  confirms: true,
  define: (command, context) => {
    command
      .addArgument(new Argument("<from-database-id>", "id or name of the database to copy"))
      .addArgument(new Argument("<to-database-id>", "id or name of the database to write to"));
    command.completeArgument = completeNames("database", 2);
    addCopyOptions(command);
    addProjectOption(command);
    command.action(async () => {
      const [from = "", to = ""] = command.args;
      const { runCopy } = await import("./run-copy.js");
      await runCopy([from, to], command.opts<CopyFlags>(), collectGlobalFlags(command), context);
    });
  },
};
