import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { usageError } from "../../errors/usage-errors.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { buildExampleId } from "../../command-line/example-id.js";

export const authSwitchCommand: HandwrittenCommand = {
  commandPath: "auth switch",
  order: 60,
  summary: "Change the active profile",
  description: "Makes a profile the active one, which commands use when no other is named.",
  examples: [
    "mgmt auth switch staging",
    `mgmt auth switch --project-id ${buildExampleId(idPrefixes.project)}`,
  ],
  define: (command, context) => {
    command
      .argument("[profile]", "name of the profile; on a terminal you are asked if it is left out")
      .option("--project-id <id>", "default project of the profile");
    command.completeArgument = ({ earlierArguments, listProfiles }) =>
      earlierArguments.length === 0 ? listProfiles() : [];
    command.action(async () => {
      const { projectId } = command.opts<{ projectId?: string }>();
      if (projectId?.trim() === "")
        throw usageError(
          "--project-id must not be empty",
          "Pass the id of a project. Run mgmt projects list to see your projects.",
        );
      const { runAuthSwitch } = await import("./run-switch.js");
      await runAuthSwitch(command.args[0], projectId, context);
    });
  },
};
