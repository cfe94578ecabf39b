import { Argument } from "commander";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { completeIds } from "../../command-line/argument-completion.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { EnvResult } from "./run-env.js";

interface EnvFlags extends SecretFlags {
  readonly file?: string;
  readonly name?: string;
  readonly pooled?: boolean;
}

export const envCommand: HandwrittenCommand<EnvResult> = {
  commandPath: "env",
  helpGroup: "machine",
  order: 30,
  gettingStartedOrder: 40,
  summary: "Write the connection string of a database into .env",
  description:
    "Writes the connection string of a database into .env as DATABASE_URL. Everything else in the file is unchanged. " +
    "Only you can read a new file.",
  examples: [
    "mgmt env",
    "mgmt env shop/reports",
    "mgmt env --github-env DATABASE_URL",
    `mgmt env ${buildExampleId(idPrefixes.database)} --file .env.local --name TEST_DATABASE_URL`,
  ],
  define: (command, context) => {
    command
      .addArgument(
        new Argument(
          "[database-id]",
          "id or name of the database to connect to; default: the default database of the project that commands use",
        ),
      )
      .option(
        "--file <path>",
        "file to write, - for standard output (default: .env, unless another flag sets a variable)",
      )
      .option("--name <variable>", "name of the variable (default: DATABASE_URL)")
      .option("--pooled", "connect through the connection pooler");
    addProjectOption(command);
    addSecretOptions(command, { secretFile: false });
    command.completeArgument = completeIds("database");
    command.action(async () => {
      const { file, name = "DATABASE_URL", pooled, ...secretFlags } = command.opts<EnvFlags>();
      const { runEnv } = await import("./run-env.js");
      await runEnv(
        { databaseId: command.args[0], file, name, pooled, secretFlags },
        collectGlobalFlags(command),
        context,
      );
    });
  },
};
