import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { PrintedSetting } from "./settings.js";
import { settingKeyArgument, addSettingKeysSection, completeSettingKey } from "./setting-keys.js";

export const configUnsetCommand: HandwrittenCommand<PrintedSetting> = {
  commandPath: "config unset",
  order: 40,
  summary: "Remove a default from the profile",
  description: "Removes a default from the profile that commands use here.",
  examples: ["mgmt config unset output"],
  define: (command, context) => {
    command.argument(...settingKeyArgument);
    addSettingKeysSection(command);
    command.completeArgument = completeSettingKey;
    command.action(async () => {
      const { runConfigUnset } = await import("./run-unset.js");
      await runConfigUnset(command.args[0] ?? "", collectGlobalFlags(command), context);
    });
  },
};
