import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { CommandDeclaration } from "../../command-line/command-declaration.js";

interface RunFlags {
  readonly databaseId?: string;
  readonly name?: string;
  readonly pooled?: boolean;
}

/** Declares the command `mgmt run`. */
export const runCommand: CommandDeclaration = {
  words: "run",
  heading: "machine",
  order: 50,
  summary: "Run a command with DATABASE_URL in its environment",
  description:
    "Runs a command with the connection string of a database in its environment, so that it needs no file. " +
    "Exits with the status of the command.",
  examples: [
    "mgmt run -- npm test",
    `mgmt run --database-id ${buildExampleId(idPrefixes.database)} -- node migrate.js`,
  ],
  define: (command, context) => {
    command
      .usage("[options] -- <command...>")
      .argument("<command...>", "the command and its arguments")
      .option(
        "--database-id <id>",
        "id or name of the database to connect to; default: the default database of the project that commands use",
      )
      .option("--name <variable>", "name of the variable (default: DATABASE_URL)")
      .option("--pooled", "connect through the connection pooler")
      .passThroughOptions();
    addProjectOption(command);
    command.action(async () => {
      const { databaseId, name = "DATABASE_URL", pooled } = command.opts<RunFlags>();
      const { runRun } = await import("./run-run.js");
      await runRun({ databaseId, name, pooled, words: command.args }, collectGlobalFlags(command), context);
    });
  },
};
