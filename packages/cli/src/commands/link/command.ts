import { idPrefixes } from "../../generated/id-prefixes.js";
import { assertId } from "../../input/ids.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt link`. */
export const defineLink: DefineCommand = (command, context) => {
  command
    .description(
      "Writes .mgmt/link.json in this folder: the profile, workspace and project that commands use here and in the " +
        "folders below. It contains no secret. Flags and environment variables override it. Values that you leave out " +
        "are unchanged.",
    )
    .option("--project-id <id>", "default project of commands in this folder")
    .option("--workspace-id <id>", "default workspace of commands in this folder");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [`mgmt link --profile staging --project-id ${exampleId(idPrefixes.project)}`],
  });
  command.action(async () => {
    const { projectId, workspaceId } = command.opts<{ projectId?: string; workspaceId?: string }>();
    for (const [flag, id] of Object.entries({ "--project-id": projectId, "--workspace-id": workspaceId })) {
      if (id !== undefined) assertId(flag, id);
    }
    const ids = {
      ...(workspaceId !== undefined && { workspaceId }),
      ...(projectId !== undefined && { projectId }),
    };
    const { runLink } = await import("./run.js");
    await runLink(ids, globalFlags(command), context);
  });
};
