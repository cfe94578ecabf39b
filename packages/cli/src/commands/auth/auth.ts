import { Option } from "commander";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { usageError } from "../../errors/usage-errors.js";
import type { CommandDeclaration, GroupDeclaration } from "../../run/program/declaration.js";
import { globalFlags, refusedSecret } from "../../run/program/global-options.js";
import { exampleId } from "../../run/program/help-sections.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import type { ListedProfile } from "./run-list.js";
import type { LoginFlags, LoginResult } from "./run-login.js";
import type { AuthStatus } from "./run-status.js";
import type { PrintedToken } from "./run-token.js";

/** `mgmt auth`. */
export const authGroup: GroupDeclaration = {
  words: "auth",
  heading: "account",
  order: 40,
  summary: "Log in and out, manage profiles and tokens",
};

/** `mgmt login` and `mgmt auth login`. */
export const loginCommand: CommandDeclaration<LoginResult> = {
  words: "login",
  heading: "account",
  order: 10,
  startHere: 20,
  alsoAs: ["auth login"],
  summary: "Log in with the browser or a token",
  description:
    "Logs in through the browser and stores the login in a profile. Over SSH, in a container and with --no-browser it " +
    "prints an address to open on any machine, and asks you to paste the address that the browser ends up at.",
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
    command.action(async () => {
      const { runLogin } = await import("./run-login.js");
      await runLogin({ ...globalFlags(command), ...command.opts<LoginFlags>() }, context);
    });
  },
};

/** `mgmt logout` and `mgmt auth logout`. */
export const logoutCommand: CommandDeclaration = {
  words: "logout",
  heading: "account",
  order: 20,
  alsoAs: ["auth logout"],
  summary: "Log out and forget the credential",
  description:
    "Removes the credential from a profile. A login is also revoked at its authorization server; a service token stays valid.",
  examples: ["mgmt logout", "mgmt logout --profile staging"],
  define: (command, context) => {
    command.action(async () => {
      const { runLogout } = await import("./run-logout.js");
      await runLogout(globalFlags(command), context);
    });
  },
};

/** `mgmt auth list`. */
export const authListCommand: CommandDeclaration<readonly ListedProfile[]> = {
  words: "auth list",
  order: 30,
  alias: "ls",
  summary: "List the profiles and whose credential each has",
  description:
    "Lists the profiles: the service of each, who its credential belongs to, where the credential is stored, and when it " +
    "expires. Marks the profile that commands use here. Sends no request and prints no secret.",
  examples: ["mgmt auth list", "mgmt auth list --output json"],
  define: (command, context) => {
    command.action(async () => {
      const { runAuthList } = await import("./run-list.js");
      await runAuthList(globalFlags(command), context);
    });
  },
};

/** `mgmt auth status`. */
export const authStatusCommand: CommandDeclaration<AuthStatus> = {
  words: "auth status",
  order: 40,
  summary: "Show which service and credential commands use",
  description:
    "Shows the profile, addresses and credential that commands use, where each value comes from, and when the token " +
    "expires. Sends no request. Exits with 4 if there is no credential.",
  examples: ["mgmt auth status", "mgmt auth status --output json"],
  define: (command, context) => {
    command.action(async () => {
      const { runAuthStatus } = await import("./run-status.js");
      await runAuthStatus(globalFlags(command), context);
    });
  },
};

/** `mgmt auth token`. */
export const authTokenCommand: CommandDeclaration<PrintedToken> = {
  words: "auth token",
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
      await runAuthToken(globalFlags(command), command.opts<SecretFlags>(), context);
    });
  },
};

/** `mgmt auth switch`. */
export const authSwitchCommand: CommandDeclaration = {
  words: "auth switch",
  order: 60,
  summary: "Change the active profile",
  description: "Makes a profile the active one, which commands use when no other is named.",
  examples: ["mgmt auth switch staging", `mgmt auth switch --project-id ${exampleId(idPrefixes.project)}`],
  define: (command, context) => {
    command
      .argument("[profile]", "name of the profile; on a terminal you are asked if it is left out")
      .option("--project-id <id>", "default project of the profile");
    command.completeArgument = ({ typed, profiles }) => (typed.length === 0 ? profiles() : []);
    command.action(async () => {
      const { projectId } = command.opts<{ projectId?: string }>();
      if (projectId?.trim() === "")
        throw usageError(
          "--project-id must not be empty",
          "Pass the id of a project. Run mgmt projects list to see your projects.",
        );
      const { runAuthSwitch } = await import("./run-switch.js");
      await runAuthSwitch(command.args[0], projectId, context);
    });
  },
};
