import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { CommandDeclaration } from "../../command-line/declaration.js";
import type { PrintedSetting } from "./settings.js";
import { keyArgument, addKeysSection, completeKey } from "./keys.js";

/** `mgmt config unset`. */
export const configUnsetCommand: CommandDeclaration<PrintedSetting> = {
  words: "config unset",
  order: 40,
  summary: "Remove a default from the profile",
  description: "Removes a default from the profile that commands use here.",
  examples: ["mgmt config unset output"],
  define: (command, context) => {
    command.argument(...keyArgument);
    addKeysSection(command);
    command.completeArgument = completeKey;
    command.action(async () => {
      const { runConfigUnset } = await import("./run-unset.js");
      await runConfigUnset(command.args[0] ?? "", collectGlobalFlags(command), context);
    });
  },
};
