import type { PrintedApproval } from "../../platform/printed-approval.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { addControlOptions, collectControlFlags } from "../../platform/control-options.js";

export const devApprovalsListCommand: HandwrittenCommand<readonly PrintedApproval[]> = {
  commandPath: "dev approvals list",
  order: 10,
  alias: "ls",
  summary: "List all approvals, oldest first",
  description: "Lists all approvals on the service that mgmt dev runs, oldest first.",
  examples: ["mgmt dev approvals list"],
  define: (command, context) => {
    addControlOptions(command);
    command.action(async () => {
      const { runDevApprovalsList } = await import("./run-list.js");
      await runDevApprovalsList(collectControlFlags(command), context);
    });
  },
};
