import { idPrefixes } from "../../generated/id-prefixes.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt run`. */
export const defineRun: DefineCommand = (command, context) => {
  command
    .usage("[options] -- <command...>")
    .description(
      "Runs a command with the connection string of a database in its environment, so that it needs no file. " +
        "Exits with the status of the command.",
    )
    .argument("<command...>", "the command and its arguments")
    .option(
      "--database-id <id>",
      "id or name of the database to connect to; default: the default database of the project that commands use",
    )
    .option("--name <variable>", "name of the variable (default: DATABASE_URL)")
    .passThroughOptions();
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt run -- npm test",
      `mgmt run --database-id ${exampleId(idPrefixes.database)} -- node migrate.js`,
    ],
  });
  command.action(async () => {
    const { databaseId, name = "DATABASE_URL" } = command.opts<{ databaseId?: string; name?: string }>();
    const { runRun } = await import("./run.js");
    await runRun({ databaseId, name, words: command.args }, globalFlags(command), context);
  });
};
