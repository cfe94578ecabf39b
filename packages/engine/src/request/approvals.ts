import type { ApprovalRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import type { Clock } from "../time/clock.js";
import { canonicalJson, digest } from "./digest.js";
import { errors } from "./errors.js";
import type { Ids } from "./ids.js";
import type { OperationEntry } from "./operation.js";
import type { AgentPrincipal } from "./principal.js";
import type { ApprovalSettings } from "./settings.js";

/** A request that an agent wants to make, as approvals compare it. */
export interface GatedRequest {
  readonly operation: OperationEntry;
  readonly agent: AgentPrincipal;
  /** The project that it acts on; null when it acts on the workspace itself. */
  readonly projectId: string | null;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Validated; each access token of somebody else replaced by its workspace. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Operations too grave for a window: each request needs its own word (§ Agents and approvals). */
const withoutWindow: ReadonlySet<string> = new Set(["projects.transfer", "databases.restore"]);

export const allowsWindow = (operationId: string): boolean => !withoutWindow.has(operationId);

/** The row as it is at this time: what ran out is `expired`, whether or not anybody has looked since. */
export const approvalAt = (row: ApprovalRow, now: number): ApprovalRow => {
  const ended =
    ((row.status === "pending" || row.status === "approved") && now >= row.expiresAt) ||
    (row.status === "approved_window" && now >= (row.windowExpiresAt ?? row.expiresAt));
  return ended ? { ...row, status: "expired" } : row;
};

/** Whether an agent needs its sponsor's word for this operation. */
export const needsApproval = (operation: OperationEntry, settings: ApprovalSettings): boolean =>
  operation.agentApproval === "required" || settings.operations.includes(operation.id);

const digestOf = ({ operation, path, query, body }: GatedRequest): string =>
  digest(canonicalJson([operation.id, path, query, body]));

/**
 * Lets an agent's request through, or throws 403 `approval_required` or `approval:denied`. Gives the approval that the
 * request uses up, to be consumed together with its effect; undefined when a window lets it through.
 */
export const approve = (
  request: GatedRequest,
  world: { store: Store; clock: Clock; ids: Ids },
  settings: ApprovalSettings,
  approvalUrl: (approvalId: string) => string,
): ApprovalRow | undefined => {
  const { store, clock, ids } = world;
  const { operation, agent, projectId } = request;
  const now = clock.now();
  const requestDigest = digestOf(request);
  // An approval that has run out is marked as expired where it is met, so that each is met once.
  const current = (row: ApprovalRow): ApprovalRow =>
    approvalAt(row, now) === row ? row : store.approvals.update(row.id, { status: "expired" });
  const asker = { workspaceId: agent.workspaceId, agentId: agent.agentId };
  const same = store.approvals
    .list({ ...asker, requestDigest, status: ["pending", "approved", "denied"] })
    .map(current);

  const approved = same.find(({ status }) => status === "approved");
  if (approved) return approved;
  const windows = store.approvals
    .list({ ...asker, operationId: operation.id, projectId, status: "approved_window" })
    .map(current);
  const inWindow = windows.some(({ status }) => status === "approved_window");
  if (inWindow && allowsWindow(operation.id)) return undefined;
  if (same.some(({ status, expiresAt }) => status === "denied" && now < expiresAt))
    throw errors.approvalDenied();

  const pending =
    same.find(({ status }) => status === "pending") ??
    store.approvals.insert({
      id: ids.id("approval"),
      createdAt: now,
      agentId: agent.agentId,
      sponsorId: agent.sponsorId,
      workspaceId: agent.workspaceId,
      operationId: operation.id,
      projectId,
      request: `${operation.method} ${operation.path.replace(/\{(\w+)\}/g, (_, name: string) => request.path[name] ?? "")}`,
      requestDigest,
      status: "pending",
      expiresAt: now + settings.pending,
      windowExpiresAt: null,
      decidedAt: null,
    });
  throw errors.approvalRequired({
    approvalId: pending.id,
    expiresAt: pending.expiresAt,
    approvalUrl: approvalUrl(pending.id),
  });
};
