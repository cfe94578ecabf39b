import type { ListedToken } from "@mgmt/platform/serve";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";
import { addWorkspaceOption, exampleWorkspaceId, readWorkspaceOption } from "./workspace-option.js";

export const serveTokensListCommand: HandwrittenCommand<readonly ListedToken[]> = {
  commandPath: "serve tokens list",
  order: 10,
  alias: "ls",
  summary: "List the service tokens of a workspace, without their values",
  description: "Lists the service tokens of a workspace, each with the last characters of its value.",
  examples: [`mgmt serve tokens list --workspace ${exampleWorkspaceId} --config serve.yaml`],
  errors: serveErrors,
  define: (command, context) => {
    addWorkspaceOption(command);
    addServeOptions(command);
    command.action(async () => {
      const { output } = context;
      output.assertPrintsLists();
      const workspaceId = readWorkspaceOption(command);
      const tokens = await runAsOperator(collectServeFlags(command), context, (operator) =>
        operator.listTokens(workspaceId),
      );
      await output.writeResult(tokens, "ServiceToken");
    });
  },
};
