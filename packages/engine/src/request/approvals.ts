import type { ApprovalRow } from "../store/rows.js";
import { computeDigest } from "../values/digest.js";
import { buildApprovalPath } from "../values/approval-path.js";
import { toCanonicalJson } from "../values/canonical-json.js";
import { errors } from "../values/errors.js";
import { formatTimestamp } from "../values/clock.js";
import type { OperationEntry } from "../generated/operations.js";
import type { AgentPrincipal } from "../values/principal.js";
import type { ApprovalSettings } from "../values/settings.js";
import type { OperationContext } from "../context/operation-context.js";
import { applyExpiry } from "./approval-expiry.js";

/** A request of an agent, as far as approvals compare it. */
export interface GatedRequest {
  readonly operation: OperationEntry;
  readonly agent: AgentPrincipal;
  /** The project that the request acts on; null when it acts on the workspace itself. */
  readonly projectId: string | null;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Validated, with each access token replaced by its workspace. */
  readonly body: Readonly<Record<string, unknown>>;
  /** See `ApprovalRow`. */
  readonly details: Readonly<Record<string, string | null>>;
}

/** Operations that are approved one request at a time. See the `Approval` schema. */
const operationsWithoutWindow: ReadonlySet<string> = new Set(["projects.transfer", "databases.restore"]);

/** Returns whether a sponsor may approve all requests of an operation for some time, rather than one request. */
export const allowsWindow = (operationId: string): boolean => !operationsWithoutWindow.has(operationId);

/**
 * Returns whether an agent needs an approval for a request.
 *
 * @param changesField whether the request changes a field of the resource that it names.
 */
export const needsApproval = (
  operation: OperationEntry,
  settings: ApprovalSettings,
  changesField: (field: string) => boolean,
): boolean =>
  operation.agentApproval === "required" ||
  settings.operations.includes(operation.id) ||
  operation.approvalFields.some(changesField);

/** How long an approval is kept after it has expired, in milliseconds. */
const retentionMs = 7 * 86_400_000;

/** Approvals that one request deletes at most, so that no request is slow. More are deleted than are created. */
const maxDeletedApprovals = 100;

const digestRequest = ({ operation, path, query, body }: GatedRequest): string =>
  computeDigest(toCanonicalJson([operation.id, path, query, body]));

const deleteExpiredApprovals = ({ approvals }: OperationContext["store"], now: number): void => {
  for (const { id } of approvals.listExpired(now - retentionMs, maxDeletedApprovals)) approvals.delete(id);
};

/**
 * Returns the approval that lets the request through, to be consumed with its effect; undefined when a window lets it through.
 * Without one, creates a pending approval unless there is one, and throws. A `RequestError` commits the transaction, so the approval exists
 * when the agent reads the error.
 *
 * @throws RequestError 403 `approval_required` or `approval:denied`.
 */
export const requireApproval = (
  context: OperationContext,
  request: GatedRequest,
): ApprovalRow | undefined => {
  const { store, clock, ids, settings } = context;
  const { operation, agent, projectId } = request;
  const { pending: decisionTimeMs } = settings.approvals;
  const now = clock.now();
  const requestDigest = digestRequest(request);
  // An expired approval is marked as such when it is found, so that later lookups skip it.
  const updateIfExpired = (row: ApprovalRow): ApprovalRow =>
    applyExpiry(row, now) === row ? row : store.approvals.update(row.id, { status: "expired" });
  const requester = { workspaceId: agent.workspaceId, agentId: agent.agentId };
  const approvalsOfRequest = store.approvals
    .list({ ...requester, requestDigest, status: ["pending", "approved", "denied"] })
    .map(updateIfExpired);

  const approvedApproval = approvalsOfRequest.find(({ status }) => status === "approved");
  if (approvedApproval) return approvedApproval;
  const windows = store.approvals
    .list({ ...requester, operationId: operation.id, projectId, status: "approved_window" })
    .map(updateIfExpired);
  const isInWindow = windows.some(({ status }) => status === "approved_window");
  if (isInWindow && allowsWindow(operation.id)) return undefined;
  if (approvalsOfRequest.some(({ status, expiresAt }) => status === "denied" && now < expiresAt))
    throw errors["approval:denied"]();

  deleteExpiredApprovals(store, now);
  const pendingApproval =
    approvalsOfRequest.find(({ status }) => status === "pending") ??
    store.approvals.insert({
      id: ids.generateId("approval"),
      createdAt: now,
      agentId: agent.agentId,
      sponsorId: agent.sponsorId,
      workspaceId: agent.workspaceId,
      operationId: operation.id,
      projectId,
      request: `${operation.method} ${operation.path.replace(/\{(\w+)\}/g, (_, name: string) => request.path[name] ?? "")}`,
      requestDigest,
      details: request.details,
      status: "pending",
      expiresAt: now + decisionTimeMs,
      windowExpiresAt: null,
      decidedAt: null,
    });
  throw errors.approval_required({
    approvalId: pendingApproval.id,
    expiresAt: formatTimestamp(pendingApproval.expiresAt),
    approvalUrl: settings.authUrl + buildApprovalPath(pendingApproval.id),
  });
};
