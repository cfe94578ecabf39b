import { Argument, Option } from "commander";
import { missingInput } from "../../errors/usage-errors.js";
import type { MgmtCommand } from "../../run/program/command.js";
import { completeNames } from "../../run/program/completion.js";
import { globalFlags } from "../../run/program/global-options.js";
import { addProjectOption } from "../../run/program/project-option.js";
import type { CommandDeclaration, GroupDeclaration } from "../../run/program/declaration.js";
import type { ForeignSource } from "./foreign-source.js";
import { addPartOptions } from "../../dumps/parts.js";
import type { CopyFlags, CopyResult } from "./run-copy.js";
import type { DumpFlags, DumpResult } from "./run-dump.js";
import type { RestoreFlags, RestoreResult, SeedFlags } from "./run-restore.js";

export const dbGroup: GroupDeclaration = {
  words: "db",
  heading: "machine",
  order: 70,
  summary: "Dump, restore, import, seed and copy databases",
};

/** `mgmt db dump`. */
export const dbDumpCommand: CommandDeclaration<DumpResult> = {
  words: "db dump",
  order: 10,
  summary: "Write the tables and rows of a database to a file",
  description:
    "Writes the tables and rows of a database with pg_dump to a new file that only you can read, or to standard output, where a " +
    "terminal shows control characters as escapes. In a job of a CI system, a pipe needs --file -, because it may lead to the log. Owners " +
    "and privileges are left out, because they are different in every database. pg_dump must not be older than the database's " +
    "Postgres.",
  examples: ["mgmt db dump --file shop.sql", "mgmt db dump shop/reports --file backup.dump"],
  define: (command, context) => {
    addDatabase(command, "dump");
    command
      .option("--file <path>", "new file to write, or - for standard output (default: -)")
      .addOption(
        new Option(
          "--format <form>",
          "plain: SQL; custom: compressed, for mgmt db restore (default: custom for *.dump, otherwise plain)",
        ).choices(["plain", "custom"]),
      )
      .option(
        "--table <name>",
        "only this table, named as in the database: User or sales.User; * and ? stand for any characters (repeatable)",
        collect,
      );
    addPartOptions(command);
    addProjectOption(command);
    command.action(async () => {
      const { runDump } = await import("./run-dump.js");
      await runDump(command.args[0], command.opts<DumpFlags>(), globalFlags(command), context);
    });
  },
};

/** `mgmt db restore`. */
export const dbRestoreCommand: CommandDeclaration<RestoreResult> = {
  words: "db restore",
  order: 20,
  summary: "Put a dump back into a database",
  description:
    "Puts a dump of pg_dump back into a database, in one transaction: all of it or nothing. Reads all forms, also compressed with " +
    "gzip, and runs no command of psql. Asks first if the database has tables.",
  examples: ["mgmt db restore shop/reports --file reports.dump --yes"],
  confirms: true,
  define: (command, context) => {
    addDatabase(command, "write to");
    command
      .option("--file <path>", "dump to read, or - for standard input (required)")
      .option("--clean", `${cleanHelp("the dump")}; needs the custom format`);
    addProjectOption(command);
    command.action(async () => {
      const { file, clean = false } = command.opts<Partial<RestoreFlags>>();
      if (file === undefined)
        throw missingInput("Missing --file", "Pass the path of a dump, or - for standard input.");
      const { runRestore } = await import("./run-restore.js");
      await runRestore(command.args[0], { file, clean }, globalFlags(command), context);
    });
  },
};

/** `mgmt db import`. */
export const dbImportCommand: CommandDeclaration<CopyResult> = {
  words: "db import",
  order: 30,
  summary: "Copy the database of another Postgres server",
  description:
    "Copies the database of another Postgres server into a database of the service, in one transaction. Its connection string " +
    "comes from a variable or a file, or is asked for: an argument could be read by every account of this machine. It may be a URI, " +
    "keywords and values, or that of JDBC or Npgsql. To another machine, the connection uses TLS as with sslmode=require, unless the " +
    "string has its own sslmode; PGSSLMODE can ask for more, and PGSSLROOTCERT names the authority. Asks first on a terminal, and " +
    "needs --yes elsewhere if the database has tables.",
  examples: ["mgmt db import --source-env OLD_DATABASE_URL --yes"],
  confirms: true,
  define: (command, context) => {
    addDatabase(command, "write to");
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
      const { runImport } = await import("./run-copy.js");
      await runImport(
        command.args[0],
        command.opts<CopyFlags & ForeignSource>(),
        globalFlags(command),
        context,
      );
    });
  },
};

/** `mgmt db seed`. */
export const dbSeedCommand: CommandDeclaration<RestoreResult> = {
  words: "db seed",
  order: 40,
  summary: "Run a file of SQL on a database",
  description:
    "Runs a file of SQL on a database, in one transaction unless it has transactions of its own. Commands of psql, such as \\i, " +
    "are refused without --allow-meta-commands. Asks first if tables have rows; the tables in which tools record migrations do not " +
    "count.",
  examples: ["mgmt db seed", "mgmt db seed shop/reports --file seed.sql"],
  confirms: true,
  define: (command, context) => {
    addDatabase(command, "write to");
    command
      .option("--file <path>", "SQL to run, or - for standard input (default: seed.sql)")
      .option(
        "--allow-meta-commands",
        "have psql run the file with commands such as \\i and \\copy, which can run programs on this machine",
      );
    addProjectOption(command);
    command.action(async () => {
      const { file = "seed.sql", allowMetaCommands = false } = command.opts<Partial<SeedFlags>>();
      const { runSeed } = await import("./run-restore.js");
      await runSeed(command.args[0], { file, allowMetaCommands }, globalFlags(command), context);
    });
  },
};

/** `mgmt db copy`. */
export const dbCopyCommand: CommandDeclaration<CopyResult> = {
  words: "db copy",
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
      await runCopy([from, to], command.opts<CopyFlags>(), globalFlags(command), context);
    });
  },
};

const addDatabase = (command: MgmtCommand, verb: string): void => {
  const help = `id or name of the database to ${verb}; default: the default database of the project that commands use`;
  command.addArgument(new Argument("[database-id]", help));
  command.completeArgument = completeNames("database");
};

const addCopyOptions = (command: MgmtCommand): void => {
  addPartOptions(command);
  command.addOption(new Option("--clean", cleanHelp("the source")).conflicts("dataOnly"));
};

const cleanHelp = (source: string): string =>
  `first drop the tables, views, types and functions that ${source} has, with all that depends on them`;

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
