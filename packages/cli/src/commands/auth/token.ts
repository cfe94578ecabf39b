import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import type { PrintedToken } from "./run-token.js";

export const authTokenCommand: HandwrittenCommand<PrintedToken> = {
  commandPath: "auth token",
  order: 50,
  summary: "Print the token that commands send",
  description:
    "Prints the token that commands send, refreshed first if it is about to expire. It is a secret: CI gets it only with " +
    "--show-secrets or a flag that writes it into a file.",
  examples: ['curl -H "Authorization: Bearer $(mgmt auth token)" "$MGMT_BASE_URL/v1/projects"'],
  define: (command, context) => {
    addSecretOptions(command);
    command.action(async () => {
      const { runAuthToken } = await import("./run-token.js");
      await runAuthToken(collectGlobalFlags(command), command.opts<SecretFlags>(), context);
    });
  },
};
