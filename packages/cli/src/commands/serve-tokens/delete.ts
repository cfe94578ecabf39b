import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { assertId } from "../../input/ids.js";
import type { ItemResult } from "../../output/output.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";
import { addWorkspaceOption, exampleWorkspaceId, readWorkspaceOption } from "./workspace-option.js";

export const serveTokensDeleteCommand: HandwrittenCommand<readonly ItemResult[]> = {
  commandPath: "serve tokens delete",
  order: 30,
  summary: "Delete a service token, which is invalid at once",
  description: "Deletes a service token. All servers refuse it from then on.",
  examples: [
    `mgmt serve tokens delete ${buildExampleId(idPrefixes.service_token)} --workspace ${exampleWorkspaceId} --config serve.yaml --yes`,
  ],
  errors: serveErrors,
  confirms: true,
  define: (command, context) => {
    command.argument("<token-id>", `id of the token (${idPrefixes.service_token}…)`);
    addWorkspaceOption(command);
    addServeOptions(command);
    command.action(async (id: string) => {
      assertId("<token-id>", id);
      const workspaceId = readWorkspaceOption(command);
      const { yes = false } = collectGlobalFlags(command);
      if (!yes) {
        const { confirm } = await import("../../input/confirm.js");
        await confirm(`delete the service token ${id}`, context);
      }
      await runAsOperator(collectServeFlags(command), context, (operator) =>
        operator.deleteToken(workspaceId, id),
      );
      context.output.info(`Deleted service token ${id}.`);
      await context.output.writeItemResults([{ id, status: "deleted" }]);
    });
  },
};
