import { ApprovalProgress } from "./approval-progress.js";
import { connectClient } from "./connect.js";
import type { Context, GlobalFlags } from "./context.js";

/** Waits until the sponsor has approved, and answers the approval. Throws when it is denied, expired or used up. */
export const awaitApproval = async (
  id: string,
  timeoutMs: number | undefined,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const client = await connectClient(flags, context);
  const progress = new ApprovalProgress(context);
  try {
    const approval = await client.agentApprovals.wait(id, {
      signal: context.signal,
      timeoutMs,
      onProgress: ({ status, expiresAt }, { remainingMs }) =>
        progress.tell({ approvalId: id, status, expiresAt, remainingMs }),
    });
    progress.end();
    await context.output.answer(approval, "Approval");
  } finally {
    progress.end();
  }
};
