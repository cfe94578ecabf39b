import type { PrintedApproval } from "../../platform/printed-approval.js";
import type { CommandDeclaration } from "../../command-line/command-declaration.js";
import { addControlOptions, collectControlFlags } from "../../platform/control-options.js";

export const devApprovalsListCommand: CommandDeclaration<readonly PrintedApproval[]> = {
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
