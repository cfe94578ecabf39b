import { Option } from "commander";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { collectGlobalFlags, createRejectedSecretOption } from "../../command-line/global-options.js";
import type { LoginFlags, LoginResult } from "./run-login.js";

export const loginCommand: HandwrittenCommand<LoginResult> = {
  commandPath: "login",
  helpGroup: "account",
  order: 10,
  gettingStartedOrder: 20,
  hiddenAliases: ["auth login"],
  summary: "Log in with the browser or a token",
  description:
    "Logs in through the browser and stores the login in a profile. Over SSH, in a container and with --no-browser it " +
    "prints a URL to open on any machine, and asks you to paste the URL that the browser is redirected to.",
  examples: [
    "mgmt login",
    "mgmt login --profile staging --base-url https://api.example.com --auth-url https://auth.example.com",
    "mgmt login --profile local",
    "mgmt login --with-token < token.txt",
    "mgmt login --store keyring",
  ],
  errors: {
    "auth:callback_invalid": { next: [["login"], ["help", "auth"]] },
    "auth:denied": { next: [["login"], ["help", "auth"]] },
    "auth:listen_failed": {
      next: [
        ["login", "--no-browser"],
        ["help", "auth"],
      ],
    },
    "auth:login_failed": {
      next: [
        ["login", "--no-browser"],
        ["help", "auth"],
      ],
    },
    "auth:state_mismatch": { next: [["login"], ["help", "auth"]] },
    "auth:timeout": {
      next: [
        ["login", "--no-browser"],
        ["help", "auth"],
      ],
    },
    "login:nothing_pasted": { next: [["help", "auth"]] },
    "login:wrong_paste": {
      next: [
        ["login", "--no-browser"],
        ["help", "auth"],
      ],
    },
  },
  define: (command, context) => {
    command
      .option(
        "--auth-url <url>",
        "URL of the authorization server (or MGMT_AUTH_URL; default: the service's)",
      )
      .option("--browser", "open a browser even over SSH or in a container")
      .option("--no-browser", "print the URL instead of opening a browser")
      .option("--with-token", "read a service token from standard input instead")
      .addOption(
        new Option(
          "--store <location>",
          "where to store the credential: file, or keyring of the system (default: where the profile stores it, else file)",
        ).choices(["file", "keyring"]),
      )
      .addOption(
        createRejectedSecretOption("code", "Run mgmt login --no-browser, and paste the code when asked."),
      );
    command.action(async () => {
      const { runLogin } = await import("./run-login.js");
      await runLogin({ ...collectGlobalFlags(command), ...command.opts<LoginFlags>() }, context);
    });
  },
};
