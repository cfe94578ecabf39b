import type { WorkspaceWithMembers } from "@mgmt/platform/serve";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";

export const serveWorkspacesListCommand: HandwrittenCommand<readonly WorkspaceWithMembers[]> = {
  commandPath: "serve workspaces list",
  order: 10,
  alias: "ls",
  summary: "List all workspaces, and their members",
  description: "Lists all workspaces of the service, with the addresses of their members.",
  examples: ["mgmt serve workspaces list --config serve.yaml"],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command.action(async () => {
      const { output } = context;
      output.assertPrintsLists();
      const workspaces = await runAsOperator(collectServeFlags(command), context, (operator) =>
        operator.listWorkspaces(),
      );
      await output.writeResult(workspaces, "WorkspaceWithMembers");
    });
  },
};
