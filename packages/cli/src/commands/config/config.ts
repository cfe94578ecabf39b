import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import type { MgmtCommand } from "../../run/program/command.js";
import { globalFlags } from "../../run/program/global-options.js";
import { addRows, exampleId } from "../../run/program/help-sections.js";
import { type CompleteArgument, onlyIds } from "../../run/program/completion.js";
import type { CommandDeclaration, GroupDeclaration } from "../../run/program/declaration.js";
import { settingNamed, settings } from "./settings.js";
import type { PrintedSetting } from "./settings.js";

const keys = Object.keys(settings);

const addKeys = (command: MgmtCommand): void => {
  addRows(command, "Keys", () => Object.entries(settings).map(([key, { help }]) => [key, help] as const));
};

const keyArgument = ["<key>", `one of: ${keys.join(", ")}`] as const;

const completeKey: CompleteArgument = ({ typed }) => (typed.length === 0 ? keys : []);

const completeSetting: CompleteArgument = async ({ typed: [key, ...rest], resources }) => {
  if (key === undefined) return keys;
  const { values = [], kind } = (rest.length === 0 && settingNamed(key)) || {};
  return kind ? onlyIds(kind, await resources(kind)) : values;
};

export const configGroup: GroupDeclaration = {
  words: "config",
  heading: "account",
  order: 50,
  summary: "Show and change the defaults of commands",
};

/** `mgmt config list`. */
export const configListCommand: CommandDeclaration<readonly PrintedSetting[]> = {
  words: "config list",
  order: 10,
  alias: "ls",
  summary: "List the defaults and where each comes from",
  description:
    "Lists the defaults that commands use here, and where each comes from: a flag, an environment variable, the link of the " +
    "folder, the profile, or the default of mgmt.",
  examples: ["mgmt config list", "mgmt config list --profile staging --output json"],
  define: (command, context) => {
    addKeys(command);
    command.action(async () => {
      const { runConfigList } = await import("./run-config.js");
      await runConfigList(globalFlags(command), context);
    });
  },
};

/** `mgmt config get`. */
export const configGetCommand: CommandDeclaration<PrintedSetting> = {
  words: "config get",
  order: 20,
  summary: "Print a default",
  description:
    "Prints the default that commands use here, wherever it comes from. Exits with 6 if there is none.",
  examples: ["mgmt config get base-url"],
  define: (command, context) => {
    command.argument(...keyArgument);
    addKeys(command);
    command.completeArgument = completeKey;
    command.action(async () => {
      const { runConfigGet } = await import("./run-config.js");
      await runConfigGet(command.args[0] ?? "", globalFlags(command), context);
    });
  },
};

/** `mgmt config set`. */
export const configSetCommand: CommandDeclaration<PrintedSetting> = {
  words: "config set",
  order: 30,
  summary: "Store a default in the profile",
  description:
    "Stores a default in the profile that commands use here. Flags, environment variables and the link of a folder override it.",
  examples: [
    "mgmt config set output json",
    "mgmt config set pager off",
    `mgmt config set project-id ${exampleId(idPrefixes.project)}`,
    "mgmt config set base-url https://api.example.com --profile staging",
  ],
  define: (command, context) => {
    command.argument(...keyArgument).argument("<value>", "the new value");
    addKeys(command);
    command.completeArgument = completeSetting;
    command.action(async () => {
      const [key = "", value = ""] = command.args;
      const { runConfigSet } = await import("./run-config.js");
      await runConfigSet(key, value, globalFlags(command), context);
    });
  },
};

/** `mgmt config unset`. */
export const configUnsetCommand: CommandDeclaration<PrintedSetting> = {
  words: "config unset",
  order: 40,
  summary: "Remove a default from the profile",
  description: "Removes a default from the profile that commands use here.",
  examples: ["mgmt config unset output"],
  define: (command, context) => {
    command.argument(...keyArgument);
    addKeys(command);
    command.completeArgument = completeKey;
    command.action(async () => {
      const { runConfigUnset } = await import("./run-config.js");
      await runConfigUnset(command.args[0] ?? "", globalFlags(command), context);
    });
  },
};
