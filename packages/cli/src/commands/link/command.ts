import { idPrefixes } from "../../generated/id-prefixes.js";
import { assertId, assertPathId } from "../../input/ids.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

interface LinkFlags {
  readonly projectId?: string;
  readonly workspaceId?: string;
  readonly verify: boolean;
}

/** `mgmt link`. */
export const defineLink: DefineCommand = (command, context) => {
  command
    .description(
      "Writes .mgmt/link.json in this folder: the profile, workspace and project that commands use here and in the " +
        "folders below. It contains no secret. Flags and environment variables override it. Values that you leave out " +
        "are unchanged. The command checks that the workspace and the project exist.",
    )
    .option("--project-id <id>", "default project of commands in this folder: its id or name")
    .option("--workspace-id <id>", "default workspace of commands in this folder: its id or name")
    .option("--no-verify", "write the ids as they are, without asking the service");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt link --project-id shop",
      `mgmt link --profile staging --project-id ${exampleId(idPrefixes.project)} --no-verify`,
    ],
  });
  command.action(async () => {
    const { projectId, workspaceId, verify } = command.opts<LinkFlags>();
    for (const [flag, id] of Object.entries({ "--project-id": projectId, "--workspace-id": workspaceId })) {
      if (id === undefined) continue;
      // A flag that was typed in place of a value is not a name either.
      if (verify && !id.startsWith("-")) assertPathId(flag, id);
      else assertId(flag, id);
    }
    const ids = {
      ...(workspaceId !== undefined && { workspaceId }),
      ...(projectId !== undefined && { projectId }),
    };
    const { runLink } = await import("./run.js");
    await runLink(ids, verify, globalFlags(command), context);
  });
};
