import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { parseDuration } from "../../input/duration.js";
import type { PrintedApproval } from "../../platform/printed-approval.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { exampleApprovalId } from "../../platform/printed-approval.js";
import { defineDecisionCommand } from "./define-decision.js";

export const serveApprovalsApproveCommand: HandwrittenCommand<PrintedApproval> = {
  commandPath: "serve approvals approve",
  order: 20,
  summary: "Approve a request",
  description:
    "Approves one run of the request, in the name of the sponsor. With --window it approves the same operation in the same project for that " +
    "time. mgmt serve approvals list shows what each request does.",
  examples: [
    `mgmt serve approvals approve ${exampleApprovalId} --config serve.yaml`,
    `mgmt serve approvals approve ${exampleApprovalId} --window 1h --config serve.yaml`,
  ],
  errors: serveErrors,
  define: (command, context) => {
    command.option("--window <time>", "such as 30m or 2h, at most 24h; not for transfers and restores");
    defineDecisionCommand(command, context, () => {
      const { window } = command.opts<{ window?: string }>();
      const windowMs = window === undefined ? undefined : parseDuration(window, "--window");
      return (operator, id) => operator.approve(id, windowMs);
    });
  },
};
