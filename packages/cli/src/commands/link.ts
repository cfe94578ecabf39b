import { usageError } from "../errors.js";
import type { MgmtCommand } from "../program/command.js";
import { addGlobalOptions, globalFlags } from "../program/global-options.js";
import { addSections } from "../program/help.js";
import { isId } from "../profiles/link.js";
import type { Context } from "../run/context.js";

/** `mgmt link`. */
export const defineLink = (command: MgmtCommand, context: Context): void => {
  command
    .summary("Use a profile, workspace and project in this folder")
    .description(
      "Writes .mgmt/link.json in this folder: the profile, workspace and project that commands use here and in the " +
        "folders below. It holds no secret. Flags and environment win over it; what is left out stays.",
    )
    .option("--project-id <id>", "project that commands use when none is given")
    .option("--workspace-id <id>", "workspace that commands work in");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => ["mgmt link --profile staging --project-id proj_8s2d4f6g1h3j5k7l9q0w2e4r"],
  });
  command.action(async () => {
    const { projectId, workspaceId } = command.opts<{ projectId?: string; workspaceId?: string }>();
    for (const [flag, id] of Object.entries({ "--project-id": projectId, "--workspace-id": workspaceId })) {
      if (id !== undefined && !isId(id))
        throw usageError(`${flag} cannot be ${JSON.stringify(id)}`, "It must be an id.");
    }
    const ids = {
      ...(workspaceId !== undefined && { workspaceId }),
      ...(projectId !== undefined && { projectId }),
    };
    const { runLink } = await import("../profiles/run-link.js");
    await runLink(ids, globalFlags(command), context);
  });
};

/** `mgmt unlink`. */
export const defineUnlink = (command: MgmtCommand, context: Context): void => {
  command
    .summary("Take the link of this folder away")
    .description(
      "Deletes the .mgmt/link.json that holds here: of this folder, or of the nearest one above it.",
    );
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt unlink"] });
  command.action(async () => (await import("../profiles/run-link.js")).runUnlink(context));
};
