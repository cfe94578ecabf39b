import { Option } from "commander";
import { addGlobalOptions, globalFlags, refusedSecret } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";
import type { LoginFlags } from "./run.js";

/** `mgmt login` and `mgmt auth login`. */
export const defineLogin: DefineCommand = (command, context) => {
  command
    .description(
      "Logs in through the browser and stores the login in a profile. Over SSH, in a container and with --no-browser it " +
        "prints an address to open on any machine, and asks you to paste the address that the browser ends up at.",
    )
    .option(
      "--auth-url <url>",
      "address of the authorization server (or MGMT_AUTH_URL; default: the service's)",
    )
    .option("--browser", "open a browser even over SSH or in a container")
    .option("--no-browser", "print the address instead of opening a browser")
    .option("--with-token", "read a service token from standard input instead")
    .addOption(
      new Option(
        "--store <location>",
        "where to store the credential: file, or keyring of the system (default: where the profile stores it, else file)",
      ).choices(["file", "keyring"]),
    )
    .addOption(refusedSecret("code", "Run mgmt login --no-browser, and paste the code when asked."));
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt login",
      "mgmt login --profile staging --base-url https://api.example.com --auth-url https://auth.example.com",
      "mgmt login --profile local",
      "mgmt login --with-token < token.txt",
      "mgmt login --store keyring",
    ],
  });
  command.action(async () => {
    const { runLogin } = await import("./run.js");
    await runLogin({ ...globalFlags(command), ...command.opts<LoginFlags>() }, context);
  });
};
