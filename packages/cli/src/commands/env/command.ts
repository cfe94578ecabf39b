import { Argument } from "commander";
import { idPrefixes } from "../../generated/id-prefixes.js";
import { completeIds } from "../../program/completion.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt env`. */
export const defineEnv: DefineCommand = (command, context) => {
  command
    .description(
      "Writes the connection string of a database into .env as DATABASE_URL. Everything else in the file is unchanged. " +
        "Only you can read a new file.",
    )
    .addArgument(
      new Argument(
        "[database-id]",
        "id or name of the database to connect to; default: the default database of the project that commands use",
      ),
    )
    .option("--file <path>", "file to write (default: .env)")
    .option("--name <variable>", "name of the variable (default: DATABASE_URL)");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt env",
      "mgmt env shop/reports",
      `mgmt env ${exampleId(idPrefixes.database)} --file .env.local --name TEST_DATABASE_URL`,
    ],
  });
  command.completeArgument = completeIds("database");
  command.action(async () => {
    const { file = ".env", name = "DATABASE_URL" } = command.opts<{ file?: string; name?: string }>();
    const { runEnv } = await import("./run.js");
    await runEnv({ databaseId: command.args[0], file, name }, globalFlags(command), context);
  });
};
