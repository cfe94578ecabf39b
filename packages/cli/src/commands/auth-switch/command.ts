import { usageError } from "../../errors/usage-errors.js";
import { idPrefixes } from "../../generated/id-prefixes.js";
import { addGlobalOptions } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt auth switch`. */
export const defineAuthSwitch: DefineCommand = (command, context) => {
  command
    .description("Makes a profile the active one, which commands use when no other is named.")
    .argument("[profile]", "name of the profile; on a terminal you are asked if it is left out")
    .option("--project-id <id>", "default project of the profile");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt auth switch staging",
      `mgmt auth switch --project-id ${exampleId(idPrefixes.project)}`,
    ],
  });
  command.completeArgument = ({ typed, profiles }) => (typed.length === 0 ? profiles() : []);
  command.action(async () => {
    const { projectId } = command.opts<{ projectId?: string }>();
    if (projectId?.trim() === "") throw usageError("--project-id cannot be empty", "It must be an id.");
    const { runAuthSwitch } = await import("./run.js");
    await runAuthSwitch(command.args[0], projectId, context);
  });
};
