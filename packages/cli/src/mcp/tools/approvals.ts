import type { Approval } from "@mgmt/sdk";
import { MgmtError } from "../../sdk/sdk.js";
import type { ServerContext } from "../server-context.js";
import { remainingMs, type ToolArguments, type ToolCall, type ToolResult } from "../tool.js";

/** Waits until the sponsor has decided, or until the call must end. */
export const waitForApproval = async (
  args: ToolArguments,
  call: Pick<ToolCall, "signal" | "deadlineMs" | "report">,
  { session }: ServerContext,
): Promise<ToolResult> => {
  const id = String(args["approvalId"]);
  const client = await session.getClient();
  try {
    const approval = await client.agentApprovals.wait(id, {
      signal: call.signal,
      timeoutMs: remainingMs(call),
      onProgress: ({ status }) => call.report(`Approval ${id} is ${status}`),
    });
    return describeApproval(id, approval);
  } catch (error) {
    if (!(error instanceof MgmtError) || !failedWaitCodes.includes(error.code)) throw error;
    return describeApproval(id, await client.agentApprovals.get(id, { signal: call.signal }));
  }
};

/** The error codes of waits that end without an approval. */
const failedWaitCodes = ["wait:timeout", "approval:denied", "approval:expired", "approval:consumed"];

const describeApproval = (approvalId: string, { status, expiresAt, decidedAt }: Approval): ToolResult => ({
  approvalId,
  status,
  expiresAt,
  ...(status === "pending" && { next: [{ tool: "approval_wait", arguments: { approvalId } }] }),
  message: status === "expired" && decidedAt !== null ? unusedMessage : messages[status],
});

/** The message for an approval that expired after the sponsor had given it. */
const unusedMessage =
  "The sponsor approved, but the call did not follow in time. A repeated call requests a new approval.";

const messages: Readonly<Record<Approval["status"], string>> = {
  pending: "The sponsor has not decided yet. Wait again.",
  approved: "The sponsor approved. Repeat the call that needed the approval, with the same arguments.",
  approved_window: "The sponsor approved. Repeat the call that needed the approval, with the same arguments.",
  denied:
    "The sponsor denied the request. The same call stays denied until expiresAt. Do not repeat it unless the user asks for it.",
  expired: "Nobody decided in time. A repeated call requests a new approval.",
  consumed: "The approved request was sent already.",
};
