import { Option } from "commander";
import { addGlobalOptions } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";
import { addOAuthClient } from "./oauth-clients.js";
import { defaultPort } from "./port.js";
import type { DevFlags } from "./run.js";

/** `mgmt dev`. */
export const defineDev: DefineCommand = (command, context) => {
  command
    .description(
      "Runs the service on this machine, with real Postgres databases, until you press Ctrl-C.\n\n" +
        "With --output json, it prints one line when it is ready: baseUrl, authUrl, controlUrl, controlSecretFile, signInKeyFile, token, " +
        "workspaceId, caFile, postgresPort, pid.",
    )
    .option("--port <number>", `port to listen on; 0 chooses a free one (default: ${String(defaultPort)})`)
    .option(
      "--data-dir <path>",
      "folder to store projects and databases in (default: the user's folder for application state)",
    )
    .option("--ephemeral", "delete everything on exit")
    .option(
      "--oauth-client <id=uri,...>",
      "register a public OAuth client and its redirect URIs (repeatable)",
      addOAuthClient,
    )
    .addOption(
      new Option("--unknown-fields <action>", "what to do with body fields that the contract does not have")
        .choices(["ignore", "refuse"])
        .default("ignore"),
    )
    .addOption(
      new Option(
        "--error-codes <set>",
        "error codes in responses; public: those that published programs know",
      )
        .choices(["contract", "public"])
        .default("contract"),
    );
  command.addOption(
    new Option(
      "--sign-in-key <mode>",
      "key that browsers need to sign in; none lets every account of this machine sign in",
    )
      .choices(["generate", "none"])
      .default("generate"),
  );
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt dev",
      "mgmt dev --ephemeral --port 0 --output json",
      "mgmt dev --data-dir ./data",
      "mgmt dev --oauth-client cmm3lndn701oo0uefvxpyy6gr=http://localhost/auth/callback",
    ],
  });
  command.action(async () => {
    const { runDev } = await import("./run.js");
    await runDev(command.opts<DevFlags>(), context);
  });
};
