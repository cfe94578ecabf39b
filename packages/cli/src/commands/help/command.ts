import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";
import { rootOf } from "../../program/command.js";

/** `mgmt help projects create`, the same as `mgmt projects create --help`. */
export const defineHelp: DefineCommand = (command) => {
  command
    .description("Shows the help of a command, or the overview.")
    .argument("[command...]", "words of the command")
    .action(async (words: string[]) => {
      await rootOf(command).parseAsync([...words, "--help"], { from: "user" });
    });
  addSections(command, { Examples: () => ["mgmt help", "mgmt help projects create"] });
};
