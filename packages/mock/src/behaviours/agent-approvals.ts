import { behaviour } from "../engine/behaviour.js";
import { timestamp } from "../engine/clock.js";
import { errors } from "../engine/errors.js";
import type { Approval, ApprovalStatus } from "../generated/schemas.js";
import type { ApprovalRow } from "../store/rows.js";

const hints: Readonly<Record<ApprovalStatus, string>> = {
  pending: "Wait for the sponsor's decision and poll again",
  approved: "Send the same request again before the approval expires",
  approved_window: "Send the request again; others of the same operation in the same project pass too",
  denied: "Ask the sponsor before sending the request again",
  expired: "Send the request again to ask for a new approval",
  consumed: "The request has run; a further one needs an approval of its own",
};

/** What waits for a decision or for its request ends with time, whether or not anybody looked (§ Agents). */
const statusAt = (row: ApprovalRow, now: number): ApprovalStatus => {
  const endsAt = row.status === "approved_window" ? (row.windowExpiresAt ?? row.expiresAt) : row.expiresAt;
  const ends = row.status === "pending" || row.status === "approved" || row.status === "approved_window";
  return ends && now >= endsAt ? "expired" : row.status;
};

const timestampOrNull = (time: number | null): string | null => (time === null ? null : timestamp(time));

const presentApproval = (row: ApprovalRow, now: number): Approval => {
  const status = statusAt(row, now);
  return {
    id: row.id,
    status,
    expiresAt: timestamp(row.expiresAt),
    windowExpiresAt: timestampOrNull(row.windowExpiresAt),
    decidedAt: timestampOrNull(row.decidedAt),
    hint: hints[status],
  };
};

export const agentApprovalBehaviours = {
  /** Only the agent that owns the approval can read it; for everybody else there is none. */
  "agentApprovals.get": behaviour("agentApprovals.get", {
    check: ({ world, principal, path }) => {
      const approval = world.store.approvals.get(path.approvalId);
      const owned = principal.kind === "agent" && approval?.agentId === principal.agentId;
      if (!owned || approval.workspaceId !== principal.workspaceId) throw errors.notFound("approval");
      return approval;
    },
    act: ({ world }, approval) => ({ status: 200, body: presentApproval(approval, world.clock.now()) }),
  }),
};
