import { Argument } from "commander";
import { completeNames } from "../../command-line/argument-completion.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { QueryFlags } from "./run-query.js";
import type { QueryResult } from "./row-values.js";

/** `mgmt query`. */
export const queryCommand: HandwrittenCommand<QueryResult> = {
  commandPath: "query",
  helpGroup: "machine",
  order: 65,
  summary: "Run one SQL statement on a database, and print its rows",
  description:
    "Runs one SQL statement on a database, and prints its rows. No client program of Postgres is needed. The statement runs in a " +
    "session of its own, and in a read-only transaction unless --write is passed. Rows are printed as they come, so that a result can have " +
    "any length. Tables and CSV have the text of Postgres; on a terminal, a table that is too wide has each row as lines. In JSON, integer, smallint, real, double precision and boolean are numbers and booleans, NULL becomes " +
    "null, and everything else is the text of Postgres, so that bigint and numeric keep all their digits. A column whose name occurs " +
    "twice gets a number.",
  examples: [
    "mgmt query 'select count(*) from notes'",
    "mgmt query shop/reports 'select * from notes where id = $1' --param 7 --json",
    "mgmt query 'delete from notes where id = $1' --param 7 --write",
    "mgmt query --file report.sql --csv",
  ],
  confirms: true,
  define: (command, context) => {
    command
      .usage("[options] [database-id] <sql>")
      .addArgument(
        new Argument(
          "[database-id]",
          "id or name of the database to query; default: the default database of the project that commands use",
        ),
      )
      .argument("[sql]", "the statement, or - to read it from standard input")
      .option("--file <path>", "file with the statement, or - for standard input, instead of the argument")
      .option("--param <value>", "value of $1, of $2 and so on, as text (repeatable)", appendValue)
      .option("--write", "let the statement change data; it is committed at once")
      .option(
        "--timeout <duration>",
        "cancel the statement after this time, such as 30s or 5m (default: never)",
      );
    addProjectOption(command);
    command.completeArgument = completeNames("database");
    command.action(async () => {
      const { runQuery } = await import("./run-query.js");
      await runQuery(command.args, command.opts<QueryFlags>(), collectGlobalFlags(command), context);
    });
  },
};

const appendValue = (value: string, earlierValues: readonly string[] = []): string[] => [
  ...earlierValues,
  value,
];
