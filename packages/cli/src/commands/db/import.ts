import { Option } from "commander";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { ForeignSourceFlags } from "./external-source.js";
import type { CopyFlags, CopyResult } from "./copy-database.js";
import { addDatabaseArgument, addCopyOptions } from "./options.js";

export const dbImportCommand: HandwrittenCommand<CopyResult> = {
  commandPath: "db import",
  order: 30,
  summary: "Copy the database of another Postgres server",
  description:
    "Copies the database of another Postgres server into a database of the service, in one transaction. Its connection string " +
    "comes from a variable or a file, or is asked for: an argument could be read by every account of this machine. It may be a URI, " +
    "keywords and values, or a string for JDBC or Npgsql. To another machine, the connection uses TLS as with sslmode=require, unless the " +
    "string has its own sslmode; PGSSLMODE can ask for more, and PGSSLROOTCERT names the authority. Asks first on a terminal, and " +
    "needs --yes elsewhere if the database has tables.",
  examples: ["mgmt db import --source-env OLD_DATABASE_URL --yes"],
  confirms: true,
  define: (command, context) => {
    addDatabaseArgument(command, "write to");
    command
      .addOption(
        new Option(
          "--source-env <variable>",
          "variable with the connection string of the other server",
        ).conflicts("sourceFile"),
      )
      .option(
        "--source-file <path>",
        "file with the connection string of the other server, or - for standard input",
      );
    addCopyOptions(command);
    addProjectOption(command);
    command.action(async () => {
      const { runImport } = await import("./run-import.js");
      await runImport(
        command.args[0],
        command.opts<CopyFlags & ForeignSourceFlags>(),
        collectGlobalFlags(command),
        context,
      );
    });
  },
};
