import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { PrintedSetting } from "./settings.js";
import { settingKeyArgument, addSettingKeysSection, completeSettingKey } from "./setting-keys.js";

export const configGetCommand: HandwrittenCommand<PrintedSetting> = {
  commandPath: "config get",
  order: 20,
  summary: "Print a default",
  description:
    "Prints the default that commands use here, wherever it comes from. Exits with 6 if there is none.",
  examples: ["mgmt config get base-url"],
  define: (command, context) => {
    command.argument(...settingKeyArgument);
    addSettingKeysSection(command);
    command.completeArgument = completeSettingKey;
    command.action(async () => {
      const { runConfigGet } = await import("./run-get.js");
      await runConfigGet(command.args[0] ?? "", collectGlobalFlags(command), context);
    });
  },
};
