import { idPrefixes } from "../../generated/id-prefixes.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import { type CompleteArgument, onlyIds } from "../../program/completion.js";
import type { DefineCommand } from "../../program/porcelain.js";
import { settingNamed, settings } from "./settings.js";

const keys = Object.keys(settings);

const keySection = (): string[] => {
  const width = Math.max(...keys.map((key) => key.length));
  return Object.entries(settings).map(([key, { help }]) => `${key.padEnd(width)}  ${help}`);
};

const keyArgument = ["<key>", `one of: ${keys.join(", ")}`] as const;

const completeKey: CompleteArgument = ({ typed }) => (typed.length === 0 ? keys : []);

const completeSetting: CompleteArgument = async ({ typed: [key, ...rest], resources }) => {
  if (key === undefined) return keys;
  const { values = [], kind } = (rest.length === 0 && settingNamed(key)) || {};
  return kind ? onlyIds(kind, await resources(kind)) : values;
};

/** `mgmt config list`. */
export const defineConfigList: DefineCommand = (command, context) => {
  command.description(
    "Lists the defaults that commands use here, and where each comes from: a flag, an environment variable, the link of the " +
      "folder, the profile, or the default of mgmt.",
  );
  addGlobalOptions(command);
  addSections(command, {
    Keys: keySection,
    Examples: () => ["mgmt config list", "mgmt config list --profile staging --output json"],
  });
  command.action(async () => {
    const { runConfigList } = await import("./run.js");
    await runConfigList(globalFlags(command), context);
  });
};

/** `mgmt config get`. */
export const defineConfigGet: DefineCommand = (command, context) => {
  command
    .description(
      "Prints the default that commands use here, wherever it comes from. Exits with 6 if there is none.",
    )
    .argument(...keyArgument);
  addGlobalOptions(command);
  addSections(command, { Keys: keySection, Examples: () => ["mgmt config get base-url"] });
  command.completeArgument = completeKey;
  command.action(async () => {
    const { runConfigGet } = await import("./run.js");
    await runConfigGet(command.args[0] ?? "", globalFlags(command), context);
  });
};

/** `mgmt config set`. */
export const defineConfigSet: DefineCommand = (command, context) => {
  command
    .description(
      "Stores a default in the profile that commands use here. Flags, environment variables and the link of a folder override it.",
    )
    .argument(...keyArgument)
    .argument("<value>", "the new value");
  addGlobalOptions(command);
  addSections(command, {
    Keys: keySection,
    Examples: () => [
      "mgmt config set output json",
      "mgmt config set pager off",
      `mgmt config set project-id ${exampleId(idPrefixes.project)}`,
      "mgmt config set base-url https://api.example.com --profile staging",
    ],
  });
  command.completeArgument = completeSetting;
  command.action(async () => {
    const [key = "", value = ""] = command.args;
    const { runConfigSet } = await import("./run.js");
    await runConfigSet(key, value, globalFlags(command), context);
  });
};

/** `mgmt config unset`. */
export const defineConfigUnset: DefineCommand = (command, context) => {
  command.description("Removes a default from the profile that commands use here.").argument(...keyArgument);
  addGlobalOptions(command);
  addSections(command, { Keys: keySection, Examples: () => ["mgmt config unset output"] });
  command.completeArgument = completeKey;
  command.action(async () => {
    const { runConfigUnset } = await import("./run.js");
    await runConfigUnset(command.args[0] ?? "", globalFlags(command), context);
  });
};
