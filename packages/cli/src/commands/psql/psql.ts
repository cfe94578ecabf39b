import { Argument } from "commander";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { completeIds } from "../../command-line/argument-completion.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

export const psqlCommand: HandwrittenCommand = {
  commandPath: "psql",
  helpGroup: "machine",
  order: 60,
  gettingStartedOrder: 50,
  summary: "Open a database in psql",
  description:
    "Opens a database in psql. The password is passed in the environment, where other users of this machine cannot see it.",
  examples: [
    "mgmt psql",
    `mgmt psql ${buildExampleId(idPrefixes.database)} -- --command "select count(*) from notes"`,
  ],
  define: (command, context) => {
    command
      .usage("[options] [database-id] [-- <psql arguments...>]")
      .addArgument(
        new Argument(
          "[database-id]",
          "id or name of the database to connect to; default: the default database of the project that commands use",
        ),
      )
      .argument("[arguments...]", "arguments for psql, after --")
      .option("--pooled", "connect through the connection pooler");
    addProjectOption(command);
    command.wrappedProgram = "psql";
    command.completeArgument = completeIds("database");
    command.action(async () => {
      const { runPsql } = await import("./run-psql.js");
      await runPsql(command.args, command.opts<{ pooled?: boolean }>(), collectGlobalFlags(command), context);
    });
  },
};
