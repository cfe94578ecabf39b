import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { PrintedApproval } from "../../platform/printed-approval.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { exampleApprovalId } from "../../platform/printed-approval.js";
import { defineDecisionCommand } from "./define-decision.js";

export const serveApprovalsDenyCommand: HandwrittenCommand<PrintedApproval> = {
  commandPath: "serve approvals deny",
  order: 30,
  summary: "Deny a request",
  description:
    "Denies the request, in the name of the sponsor. Repeating it fails as well until the approval's 15 minutes are over.",
  examples: [`mgmt serve approvals deny ${exampleApprovalId} --config serve.yaml`],
  errors: serveErrors,
  define: (command, context) => {
    defineDecisionCommand(command, context, () => (operator, id) => operator.deny(id));
  },
};
