import { collectGlobalFlags } from "../../command-line/global-options.js";
import { filterIds } from "../../command-line/argument-completion.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

export const exportCommand: HandwrittenCommand = {
  commandPath: "export",
  helpGroup: "provisioning",
  order: 10,
  summary: "Print a manifest of projects and what is in them",
  description:
    "Prints a manifest of projects and of the branches, databases and services in them, for mgmt plan and mgmt apply. " +
    "It contains no secret. What has no logical id gets the field adopt with its id, so that mgmt apply does not create it " +
    "again.",
  examples: ["mgmt export > mgmt.yaml", "mgmt export shop"],
  define: (command, context) => {
    command.argument("[project...]", "ids, logical ids or names of projects (default: all projects)");
    command.completeArgument = async ({ listResources }) =>
      filterIds("project", await listResources("project"));
    command.action(async (projects: string[]) => {
      const { runExport } = await import("./run-export.js");
      await runExport(projects, collectGlobalFlags(command), context);
    });
  },
};
