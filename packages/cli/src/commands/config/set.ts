import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { type CompleteArgument, filterIds } from "../../command-line/argument-completion.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { findSettingByKey } from "./settings.js";
import type { PrintedSetting } from "./settings.js";
import { settingKeys, settingKeyArgument, addSettingKeysSection } from "./setting-keys.js";

const completeSetting: CompleteArgument = async ({
  earlierArguments: [key, ...laterArguments],
  listResources,
}) => {
  if (key === undefined) return settingKeys;
  const { values = [], resourceType } = (laterArguments.length === 0 && findSettingByKey(key)) || {};
  return resourceType ? filterIds(resourceType, await listResources(resourceType)) : values;
};

export const configSetCommand: HandwrittenCommand<PrintedSetting> = {
  commandPath: "config set",
  order: 30,
  summary: "Store a default in the profile",
  description:
    "Stores a default in the profile that commands use here. Flags, environment variables and the link of a folder override it.",
  examples: [
    "mgmt config set output json",
    "mgmt config set pager off",
    `mgmt config set project-id ${buildExampleId(idPrefixes.project)}`,
    "mgmt config set base-url https://api.example.com --profile staging",
  ],
  define: (command, context) => {
    command.argument(...settingKeyArgument).argument("<value>", "the new value");
    addSettingKeysSection(command);
    command.completeArgument = completeSetting;
    command.action(async () => {
      const [key = "", value = ""] = command.args;
      const { runConfigSet } = await import("./run-set.js");
      await runConfigSet(key, value, collectGlobalFlags(command), context);
    });
  },
};
