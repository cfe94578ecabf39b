import type { Context, GlobalFlags } from "../../input/context.js";
import { maskNamedSecrets } from "../../output/mask.js";
import { ApprovalProgress } from "../../service/approval-progress.js";
import { connect } from "../../service/connect.js";

/**
 * Waits until the sponsor has approved, and prints the approval.
 *
 * @param timeoutMs how long to wait, in milliseconds. Default: see `agentApprovals.wait` of the SDK.
 * @throws ApiError if the approval is denied, expired, or consumed.
 */
export const runAgentApprovalsWait = async (
  id: string,
  timeoutMs: number | undefined,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const client = await connect(flags, context);
  const progress = new ApprovalProgress(context.output);
  try {
    const approval = await client.agentApprovals.wait(id, {
      signal: context.signal,
      timeoutMs,
      onProgress: ({ status, expiresAt }, { remainingMs }) =>
        progress.report({ approvalId: id, status, expiresAt, remainingMs }),
    });
    progress.removeSpinner();
    await context.output.writeResult(maskNamedSecrets(approval), "Approval");
  } finally {
    progress.removeSpinner();
  }
};
