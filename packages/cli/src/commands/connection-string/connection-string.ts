import { Argument, Option } from "commander";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { connectionFormats } from "../../postgres/connection-settings.js";
import { completeNames } from "../../command-line/argument-completion.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { ConnectionStringFlags, ConnectionStringResult } from "./run-connection-string.js";

export const connectionStringCommand: HandwrittenCommand<ConnectionStringResult> = {
  commandPath: "connection-string",
  helpGroup: "machine",
  order: 40,
  summary: "Print the connection string of a database",
  description:
    "Prints the connection string of a database, with the password of one of its connections. If no password can be read, " +
    "asks whether to create a connection for this machine, and prints that one's.",
  examples: [
    "mgmt connection-string",
    "mgmt connection-string shop/reports --pooled --format prisma",
    `mgmt connection-string ${buildExampleId(idPrefixes.database)} --format env > .env.local`,
    "mgmt connection-string --secret-file connection.json",
  ],
  confirms: true,
  define: (command, context) => {
    command
      .addArgument(
        new Argument(
          "[database-id]",
          "id or name of the database to connect to; default: the default database of the project that commands use",
        ),
      )
      .addOption(new Option("--pooled", "connect through the connection pooler").conflicts("direct"))
      .option("--direct", "connect to the database itself (default)")
      .addOption(
        new Option(
          "--format <format>",
          "uri (default); prisma: with the parameters that Prisma needs; jdbc; dsn: keywords and values of libpq; env: a line of an env file",
        ).choices(connectionFormats),
      )
      .option(
        "--role <name>",
        "id, name or user of the connection (default: the first whose password can be read)",
      );
    addProjectOption(command);
    addSecretOptions(command);
    command.completeArgument = completeNames("database");
    command.action(async () => {
      const { runConnectionString } = await import("./run-connection-string.js");
      await runConnectionString(
        command.args[0],
        command.opts<ConnectionStringFlags>(),
        collectGlobalFlags(command),
        context,
      );
    });
  },
};
