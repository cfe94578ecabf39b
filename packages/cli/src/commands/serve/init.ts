import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags } from "../../platform/serve-options.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { InitFlags, PrintedInitialization } from "./run-init.js";

export const serveInitCommand: HandwrittenCommand<PrintedInitialization> = {
  commandPath: "serve init",
  order: 30,
  summary: "Create the records of a new service, with a workspace and a token",
  description:
    "Creates the database with the records unless it exists, the key file unless it exists, a workspace, the user who owns it, and a " +
    "service token. Changes nothing if the database has the records of a service.\n\n" +
    "Keep a copy of the key file: nothing else can decrypt the secrets in the records. The token is shown once, and printed only on a " +
    "terminal or with --show-secrets.",
  examples: [
    "mgmt serve init --config serve.yaml --workspace Acme --owner ada@example.com --secret-file token.json",
  ],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command
      .requiredOption("--workspace <name>", "name of the first workspace")
      .requiredOption("--owner <email>", "email address of the user who owns it");
    addSecretOptions(command);
    command.action(async () => {
      const { runServeInit } = await import("./run-init.js");
      await runServeInit(collectServeFlags(command), command.opts<InitFlags & SecretFlags>(), context);
    });
  },
};
