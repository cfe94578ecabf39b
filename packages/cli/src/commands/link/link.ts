import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { assertId, assertPathId } from "../../input/ids.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { LinkResult } from "./run-link.js";

interface LinkFlags {
  readonly projectId?: string;
  readonly workspaceId?: string;
  readonly verify: boolean;
  readonly gitignore?: boolean;
  readonly protect?: boolean;
}

export const linkCommand: HandwrittenCommand<LinkResult> = {
  commandPath: "link",
  helpGroup: "account",
  order: 70,
  gettingStartedOrder: 30,
  summary: "Choose the profile, workspace and project for this folder",
  description:
    "Writes .mgmt/link.json in this folder: the profile, workspace and project that commands use here and in the " +
    "folders below. It contains no secret. Flags and environment variables override it. Values that you leave out " +
    "are unchanged. The command checks that the workspace and the project exist. On a terminal, it asks for the project if " +
    "neither is given.",
  examples: [
    "mgmt link --project-id shop",
    "mgmt link --profile production --protect",
    `mgmt link --profile staging --project-id ${buildExampleId(idPrefixes.project)} --no-verify`,
  ],
  define: (command, context) => {
    command
      .option("--project-id <id>", "default project of commands in this folder: its id or name")
      .option("--workspace-id <id>", "default workspace of commands in this folder: its id or name")
      .option("--no-verify", "write the ids as they are, without asking the service")
      .option("--gitignore", "add .mgmt/ to .gitignore (default: asks on a terminal)")
      .option("--no-gitignore", "do not change .gitignore")
      .option(
        "--protect",
        "here, what deletes, restores, rotates or overwrites asks for the name of the resource, and --yes is not enough",
      )
      .option("--no-protect", "remove this protection");
    command.action(async () => {
      const { projectId, workspaceId, verify, gitignore, protect } = command.opts<LinkFlags>();
      for (const [flag, id] of Object.entries({ "--project-id": projectId, "--workspace-id": workspaceId })) {
        if (id === undefined) continue;
        // A flag that was typed instead of a value is not a name either.
        if (verify && !id.startsWith("-")) assertPathId(flag, id);
        else assertId(flag, id);
      }
      const ids = {
        ...(workspaceId !== undefined && { workspaceId }),
        ...(projectId !== undefined && { projectId }),
      };
      const { runLink } = await import("./run-link.js");
      await runLink(ids, { verify, gitignore, protect }, collectGlobalFlags(command), context);
    });
  },
};
