import { applyExpiry } from "../../request/approval-expiry.js";
import { defineHandler } from "../../context/operation-handler.js";
import { formatTimestamp } from "../../values/clock.js";
import { errors } from "../../values/errors.js";
import type { Approval, ApprovalStatus } from "../../generated/schemas.js";
import type { ApprovalRow } from "../../store/rows.js";

const hintByStatus: Readonly<Record<ApprovalStatus, string>> = {
  pending: "Wait for the sponsor's decision and poll again",
  approved: "Send the same request again before the approval expires",
  approved_window: "Send the request again; others of the same operation in the same project pass too",
  denied: "Ask the sponsor before sending the request again",
  expired: "Send the request again to ask for a new approval",
  consumed: "The request has run; a further one needs an approval of its own",
};

const formatTimestampOrNull = (time: number | null): string | null =>
  time === null ? null : formatTimestamp(time);

/** Builds an `Approval` from its row. */
export const serializeApproval = (row: ApprovalRow): Approval => ({
  id: row.id,
  status: row.status,
  expiresAt: formatTimestamp(row.expiresAt),
  windowExpiresAt: formatTimestampOrNull(row.windowExpiresAt),
  decidedAt: formatTimestampOrNull(row.decidedAt),
  hint: hintByStatus[row.status],
});

export const agentApprovalHandlers = {
  /** Returns an approval to the agent that requested it. For everyone else it does not exist. */
  "agentApprovals.get": defineHandler("agentApprovals.get", {
    check: ({ context, principal, path }) => {
      const approval = context.store.approvals.get(path.approvalId);
      const isRequester = principal.kind === "agent" && approval?.agentId === principal.agentId;
      if (!isRequester || approval.workspaceId !== principal.workspaceId) throw errors.notFound("approval");
      return approval;
    },
    execute: ({ context }, approval) => ({
      status: 200,
      body: serializeApproval(applyExpiry(approval, context.clock.now())),
    }),
  }),
};
