import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import { onlyIds } from "../../program/completion.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt export`. */
export const defineExport: DefineCommand = (command, context) => {
  command
    .description(
      "Prints a manifest of projects and of the branches, databases and services in them, for mgmt plan and mgmt apply. " +
        "It contains what has a logical id, and no secret.",
    )
    .argument("[project...]", "ids or logical ids of projects (default: all projects with a logical id)");
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt export > mgmt.yaml", "mgmt export shop"] });
  command.completeArgument = async ({ resources }) => onlyIds("project", await resources("project"));
  command.action(async (projects: string[]) => {
    const { runExport } = await import("./run.js");
    await runExport(projects, globalFlags(command), context);
  });
};
