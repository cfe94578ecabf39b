import { parseDuration } from "../../input/duration.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { PrintedApproval } from "../../platform/printed-approval.js";
import { exampleApprovalId } from "../../platform/printed-approval.js";
import { defineDecisionCommand } from "./define-decision.js";

export const devApprovalsApproveCommand: HandwrittenCommand<PrintedApproval> = {
  commandPath: "dev approvals approve",
  order: 20,
  summary: "Approve a request",
  description:
    "Approves one run of the request. With --window it approves the same operation in the same project for that time.",
  examples: [
    `mgmt dev approvals approve ${exampleApprovalId}`,
    `mgmt dev approvals approve ${exampleApprovalId} --window 1h`,
  ],
  define: (command, context) => {
    command.option("--window <time>", "such as 30m or 2h, at most 24h; not for transfers and restores");
    defineDecisionCommand(command, context, () => {
      const { window } = command.opts<{ window?: string }>();
      return window === undefined
        ? { kind: "approve" }
        : { kind: "approve-window", milliseconds: parseDuration(window, "--window") };
    });
  },
};
