import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { PrintedApproval } from "../../platform/printed-approval.js";
import { exampleApprovalId } from "../../platform/printed-approval.js";
import { defineDecisionCommand } from "./define-decision.js";

export const devApprovalsDenyCommand: HandwrittenCommand<PrintedApproval> = {
  commandPath: "dev approvals deny",
  order: 30,
  summary: "Deny a request",
  description: "Denies the request. Repeating it fails as well until the approval's 15 minutes are over.",
  examples: [`mgmt dev approvals deny ${exampleApprovalId}`],
  define: (command, context) => {
    defineDecisionCommand(command, context, () => ({ kind: "deny" }));
  },
};
