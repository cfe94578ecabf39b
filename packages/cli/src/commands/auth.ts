import { Option } from "commander";
import { usageError } from "../errors.js";
import type { MgmtCommand } from "../program/command.js";
import { addGlobalOptions, globalFlags, refusedSecret } from "../program/global-options.js";
import { addSections } from "../program/help.js";
import type { Context, GlobalFlags } from "../run/context.js";

const heading = "Account:";

type Define = (command: MgmtCommand, context: Context) => void;

/** `mgmt auth …`, and the short forms of what is typed most. What they do is loaded when they are called. */
export const addAuthCommands = (program: MgmtCommand, context: Context): void => {
  defineLogin(program.command("login").helpGroup(heading), context);
  defineLogout(program.command("logout").helpGroup(heading), context);
  defineWhoami(program.command("whoami").helpGroup(heading), context);
  const auth = program.command("auth").helpGroup(heading).usage("<command> [options]");
  auth.summary("Log in and out, profiles, tokens").description("Log in and out, profiles, tokens.");
  addGlobalOptions(auth, { hidden: true });
  const commands: Record<string, Define> = {
    login: defineLogin,
    logout: defineLogout,
    status: defineStatus,
    token: defineToken,
    switch: defineSwitch,
  };
  for (const [name, define] of Object.entries(commands)) define(auth.command(name), context);
};

const defineLogin: Define = (command, context) => {
  command
    .summary("Log in, in the browser or with a token")
    .description(
      "Logs in through the browser and keeps the login in a profile. Over SSH, in a container and with --no-browser the " +
        "address is printed, and the address that the browser ends at is pasted back.",
    )
    .option(
      "--auth-url <url>",
      "address of the authorization server (or MGMT_AUTH_URL; default: that of the service)",
    )
    .option("--browser", "open the browser here, whatever the surroundings look like")
    .option("--no-browser", "print the address instead of opening the browser")
    .option("--with-token", "read a service token from standard input instead")
    .addOption(
      new Option(
        "--store <place>",
        "where the credential is kept: file, keyring of the system (default: where the profile keeps it, or file)",
      ).choices(["file", "keyring"]),
    );
  command.addOption(
    refusedSecret("code", "Start mgmt login --no-browser, and paste the code when it is asked for."),
  );
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
    const { runLogin } = await import("../auth/run-login.js");
    const { authUrl, browser, withToken, store } = command.opts<{
      authUrl?: string;
      browser?: boolean;
      withToken?: boolean;
      store?: "file" | "keyring";
    }>();
    const own = {
      ...(authUrl !== undefined && { authUrl }),
      ...(browser !== undefined && { browser }),
      ...(withToken && { withToken }),
      ...(store !== undefined && { store }),
    };
    await runLogin({ ...globalFlags(command), ...own }, context);
  });
};

const defineLogout: Define = (command, context) => {
  command
    .summary("Forget a login, and end it")
    .description("Forgets the credential of a profile, and ends a login at its authorization server.");
  addSections(command, { Examples: () => ["mgmt logout", "mgmt logout --profile staging"] });
  whenCalled(command, async (flags) => (await import("../auth/run-logout.js")).runLogout(flags, context));
};

const defineStatus: Define = (command, context) => {
  command
    .summary("What commands are sent with, and where it comes from")
    .description(
      "Shows the profile, the addresses and the credential that commands use, where each value comes from, and when the " +
        "token ends. Nothing is asked of the service. Without a credential it ends with 4.",
    );
  addSections(command, { Examples: () => ["mgmt auth status", "mgmt auth status --output json"] });
  whenCalled(command, async (flags) => (await import("../auth/run-status.js")).runStatus(flags, context));
};

const defineToken: Define = (command, context) => {
  command
    .summary("Print the token that commands are sent with")
    .description(
      "Prints the access token, refreshed when it was about to end. It is a secret: keep it out of logs.",
    );
  addSections(command, {
    Examples: () => ['curl -H "Authorization: Bearer $(mgmt auth token)" "$MGMT_BASE_URL/v1/projects"'],
  });
  whenCalled(command, async (flags) => (await import("../auth/run-token.js")).runToken(flags, context));
};

const defineSwitch: Define = (command, context) => {
  command
    .summary("Use another profile from now on")
    .description("Makes a profile the one that is used when none is named.")
    .argument("[profile]", "its name; asked for on a terminal when left out")
    .option("--project-id <id>", "project that commands use when none is given");
  addSections(command, {
    Examples: () => [
      "mgmt auth switch staging",
      "mgmt auth switch --project-id proj_8s2d4f6g1h3j5k7l9q0w2e4r",
    ],
  });
  whenCalled(command, async () => {
    const { projectId } = command.opts<{ projectId?: string }>();
    if (projectId?.trim() === "") throw usageError("--project-id cannot be empty", "It must be an id.");
    await (await import("../auth/run-switch.js")).runSwitch(command.args[0], projectId, context);
  });
};

const defineWhoami: Define = (command, context) => {
  command
    .summary("Who the credential belongs to")
    .description("The user, the workspace and the credential, as the service sees them: mgmt me get.");
  addSections(command, { Examples: () => ["mgmt whoami"] });
  whenCalled(command, async (flags) => {
    const [{ commands }, { runOperation }] = await Promise.all([
      import("../generated/commands/me.js"),
      import("../run/run-operation.js"),
    ]);
    for (const row of commands) {
      const typed = { flags: {}, unset: [] };
      await runOperation({ command: row, overlay: {}, targets: [{}], typed, flags, all: false }, context);
    }
  });
};

const whenCalled = (command: MgmtCommand, run: (flags: GlobalFlags) => Promise<void>): void => {
  addGlobalOptions(command);
  command.action(() => run(globalFlags(command)));
};
