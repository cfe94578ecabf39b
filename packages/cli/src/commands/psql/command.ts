import { Argument } from "commander";
import { idPrefixes } from "../../generated/id-prefixes.js";
import { completeIds } from "../../program/completion.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt psql`. */
export const definePsql: DefineCommand = (command, context) => {
  command
    .usage("[options] [database-id] [-- <psql arguments...>]")
    .description(
      "Opens a database in psql. The password is passed in the environment, where other users of this machine cannot see it.",
    )
    .addArgument(
      new Argument(
        "[database-id]",
        "id or name of the database to connect to; default: the default database of the project that commands use",
      ),
    )
    .argument("[arguments...]", "arguments for psql, after --");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt psql",
      `mgmt psql ${exampleId(idPrefixes.database)} -- --command "select count(*) from notes"`,
    ],
  });
  command.completeArgument = completeIds("database");
  command.action(async () => {
    const { runPsql } = await import("./run.js");
    await runPsql(command.args, globalFlags(command), context);
  });
};
