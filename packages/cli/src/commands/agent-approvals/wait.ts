import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { defaultApprovalTimeout, parseDuration } from "../../input/duration.js";
import { assertPathId } from "../../input/ids.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

export const agentApprovalsWaitCommand: HandwrittenCommand = {
  commandPath: "agent-approvals wait",
  order: 10,
  summary: "Wait until the sponsor has decided",
  description:
    "Waits until the sponsor approves; then run the refused command again. Exits with 8 if the approval is still " +
    "pending after --timeout, and with 5 if it is denied.",
  examples: [`mgmt agent-approvals wait ${buildExampleId(idPrefixes.approval)} --timeout 10m`],
  resultOf: "agentApprovals.get",
  define: (command, context) => {
    command
      .argument(
        "<approval-id>",
        `id of the approval, from the error of the refused command (${idPrefixes.approval}…)`,
      )
      .option("--timeout <time>", `how long to wait, such as 90s or 5m (default: ${defaultApprovalTimeout})`);
    command.action(async (id: string) => {
      const { timeout } = command.opts<{ timeout?: string }>();
      const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "--timeout");
      assertPathId("<approval-id>", id);
      const { runAgentApprovalsWait } = await import("./run-wait.js");
      await runAgentApprovalsWait(id, timeoutMs, collectGlobalFlags(command), context);
    });
  },
};
