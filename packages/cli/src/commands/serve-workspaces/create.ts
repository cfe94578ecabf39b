import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";

export const serveWorkspacesCreateCommand: HandwrittenCommand = {
  commandPath: "serve workspaces create",
  order: 20,
  summary: "Create a workspace",
  description:
    "Creates a workspace. Its owner is the user with the address, who is created unless there is one.",
  examples: ["mgmt serve workspaces create Compilers --owner grace@example.com --config serve.yaml"],
  resultOf: "workspaces.create",
  errors: serveErrors,
  define: (command, context) => {
    command.argument("<name>", "name of the workspace");
    command.requiredOption("--owner <email>", "email address of the user who owns it");
    addServeOptions(command);
    command.action(async (name: string) => {
      const { owner } = command.opts<{ owner: string }>();
      const workspace = await runAsOperator(collectServeFlags(command), context, (operator) =>
        operator.createWorkspace(name, owner),
      );
      await context.output.writeResult(workspace, "Workspace");
    });
  },
};
