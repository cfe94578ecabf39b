import { Option } from "commander";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { DumpFlags, DumpResult } from "./run-dump.js";
import { addDatabaseArgument, addPartOptions } from "./options.js";

export const dbDumpCommand: HandwrittenCommand<DumpResult> = {
  commandPath: "db dump",
  order: 10,
  summary: "Write the tables and rows of a database to a file",
  description:
    "Writes the tables and rows of a database with pg_dump to a new file that only you can read, or to standard output, where a " +
    "terminal shows control characters as escapes. In a job of a CI system, a pipe needs --file -, because it may lead to the log. Owners " +
    "and privileges are left out, because they are different in every database. pg_dump must not be older than the database's " +
    "Postgres.",
  examples: ["mgmt db dump --file shop.sql", "mgmt db dump shop/reports --file backup.dump"],
  define: (command, context) => {
    addDatabaseArgument(command, "dump");
    command
      .option("--file <path>", "new file to write, or - for standard output (default: -)")
      .addOption(
        new Option(
          "--format <format>",
          "plain: SQL; custom: compressed, for mgmt db restore (default: custom for *.dump, otherwise plain)",
        ).choices(["plain", "custom"]),
      )
      .option(
        "--table <name>",
        "only this table, named as in the database: User or sales.User; * and ? stand for any characters (repeatable)",
        appendValue,
      );
    addPartOptions(command);
    addProjectOption(command);
    command.action(async () => {
      const { runDump } = await import("./run-dump.js");
      await runDump(command.args[0], command.opts<DumpFlags>(), collectGlobalFlags(command), context);
    });
  },
};

const appendValue = (value: string, earlierValues: readonly string[] = []): string[] => [
  ...earlierValues,
  value,
];
