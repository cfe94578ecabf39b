import { Argument, Option } from "commander";
import type { MgmtCommand } from "../../command-line/command.js";
import { completeNames } from "../../command-line/argument-completion.js";

/**
 * Adds the argument that names a database, which may be left out.
 *
 * @param verb what the command does with the database, for the help.
 */
export const addDatabaseArgument = (command: MgmtCommand, verb: string): void => {
  const help = `id or name of the database to ${verb}; default: the default database of the project that commands use`;
  command.addArgument(new Argument("[database-id]", help));
  command.completeArgument = completeNames("database");
};

/** Adds the flags that specify which part of a database is dumped. */
export const addPartOptions = (command: MgmtCommand): void => {
  command
    .addOption(
      new Option("--schema-only", "only tables, views, functions and so on, without rows").conflicts(
        "dataOnly",
      ),
    )
    .option("--data-only", "only rows, into tables that exist");
};

/** Adds the flags of the commands that copy a whole database. */
export const addCopyOptions = (command: MgmtCommand): void => {
  addPartOptions(command);
  command.addOption(new Option("--clean", formatCleanHelp("the source")).conflicts("dataOnly"));
};

/** Returns the help of `--clean`. */
export const formatCleanHelp = (source: string): string =>
  `first drop the tables, views, types and functions that ${source} has, with all that depends on them`;
