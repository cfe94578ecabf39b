import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { type PrintedApproval, toPrintedApproval } from "../../platform/printed-approval.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";

export const serveApprovalsListCommand: HandwrittenCommand<readonly PrintedApproval[]> = {
  commandPath: "serve approvals list",
  order: 10,
  alias: "ls",
  summary: "List all approvals, oldest first",
  description: "Lists all approvals of the service, oldest first, with the request that each is for.",
  examples: ["mgmt serve approvals list --config serve.yaml"],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command.action(async () => {
      const { output } = context;
      output.assertPrintsLists();
      const approvals = await runAsOperator(collectServeFlags(command), context, (operator) =>
        operator.listApprovals(),
      );
      await output.writeResult(approvals.map(toPrintedApproval));
    });
  },
};
