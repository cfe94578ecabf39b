import type { Ready } from "@mgmt/platform";
import { Option } from "commander";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { addOAuthClient } from "./oauth-client-option.js";
import { platformErrors } from "../../platform/platform-errors.js";
import { defaultPort } from "./port.js";
import type { DevFlags } from "./run-dev.js";

export const devCommand: HandwrittenCommand<Ready> = {
  commandPath: "dev",
  helpGroup: "machine",
  order: 20,
  gettingStartedOrder: 10,
  summary: "Run the service on this machine, with real Postgres",
  description:
    "Runs the service on this machine, with real Postgres databases, until you press Ctrl-C.\n\n" +
    "With --output json, it prints one line when it is ready, with baseUrl, authUrl, controlUrl, controlSecretFile, signInKeyFile, token, " +
    "workspaceId, caFile, postgresPort, copyMethod and pid.",
  examples: [
    "mgmt dev",
    "mgmt dev --here",
    "mgmt dev --ephemeral --port 0 --output json",
    "mgmt dev --data-dir ./data",
    "mgmt dev --oauth-client cmm3lndn701oo0uefvxpyy6gr=http://localhost/auth/callback",
  ],
  errors: platformErrors,
  define: (command, context) => {
    command
      .option("--port <number>", `port to listen on; 0 chooses a free one (default: ${String(defaultPort)})`)
      .option(
        "--data-dir <path>",
        "folder to store projects and databases in (default: the user's folder for application state)",
      )
      .option(
        "--here",
        "run a service of this folder's project alone: data in .mgmt/dev, a port of its own, and used by commands in the folder",
      )
      .option("--ephemeral", "delete everything on exit")
      .option(
        "--accept-records",
        "use the records of the folder although they do not fit its databases; those that are not in them are kept for 7 days",
      )
      .option(
        "--oauth-client <id=uri,...>",
        "register a public OAuth client and its redirect URIs (repeatable)",
        addOAuthClient,
      )
      .addOption(
        new Option(
          "--unknown-fields <action>",
          "ignore body fields that the API does not have, or refuse the request",
        )
          .choices(["ignore", "refuse"])
          .default("ignore"),
      )
      .addOption(
        new Option(
          "--error-codes <set>",
          "codes of errors: those of this API's contract, or those of Prisma's Management API",
        )
          .choices(["contract", "public"])
          .default("contract"),
      );
    command.addOption(
      new Option(
        "--sign-in-key <mode>",
        "generate a key that browsers need to sign in, or let every account of this machine sign in without one (none)",
      )
        .choices(["generate", "none"])
        .default("generate"),
    );
    command.action(async () => {
      const { runDev } = await import("./run-dev.js");
      await runDev(command.opts<DevFlags>(), context);
    });
  },
};
