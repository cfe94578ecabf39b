import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { PrintedSetting } from "./settings.js";
import { addSettingKeysSection } from "./setting-keys.js";

export const configListCommand: HandwrittenCommand<readonly PrintedSetting[]> = {
  commandPath: "config list",
  order: 10,
  alias: "ls",
  summary: "List the defaults and where each comes from",
  description:
    "Lists the defaults that commands use here, and where each comes from: a flag, an environment variable, the link of the " +
    "folder, the profile, or the default of mgmt.",
  examples: ["mgmt config list", "mgmt config list --profile staging --output json"],
  define: (command, context) => {
    addSettingKeysSection(command);
    command.action(async () => {
      const { runConfigList } = await import("./run-list.js");
      await runConfigList(collectGlobalFlags(command), context);
    });
  },
};
