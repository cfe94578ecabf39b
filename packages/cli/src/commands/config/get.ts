import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { CommandDeclaration } from "../../command-line/declaration.js";
import type { PrintedSetting } from "./settings.js";
import { keyArgument, addKeysSection, completeKey } from "./keys.js";

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
    addKeysSection(command);
    command.completeArgument = completeKey;
    command.action(async () => {
      const { runConfigGet } = await import("./run-get.js");
      await runConfigGet(command.args[0] ?? "", collectGlobalFlags(command), context);
    });
  },
};
