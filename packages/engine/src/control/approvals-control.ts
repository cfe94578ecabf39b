import type { CallMode, ModeResult } from "../values/awaitable.js";
import { applyExpiry } from "../request/approval-expiry.js";
import { allowsWindow } from "../request/approvals.js";
import { toCanonicalId } from "../values/ids.js";
import type { OperationContext } from "../context/operation-context.js";
import type { RequestContext } from "../context/request-context.js";
import { runWriteTransaction } from "./run-transaction.js";
import type { ApprovalRow } from "../store/rows.js";
import * as controlErrors from "./control-errors.js";
import { type RequestedApproval, serializeRequestedApproval } from "./serialize-resources.js";
import { mapBatched } from "../store/preload.js";
import { readOnlyTransaction } from "../store/storage-adapter.js";

/** Decides approvals as their sponsor does. The API has no operation for that; see the `Approval` schema. */
export class ApprovalsControl<Mode extends CallMode> {
  /** @internal */
  constructor(private readonly getRequestContext: () => RequestContext<Mode>) {}

  /** Returns all approvals, oldest first, with their current status. */
  list(): ModeResult<Mode, RequestedApproval[]> {
    return this.getRequestContext().transact(readOnlyTransaction, (context) => {
      const now = context.clock.now();
      return mapBatched(context.store.approvals.list({}), (row) =>
        serializeRequestedApproval(context, row, now),
      );
    });
  }

  /** Approves one request: the agent can repeat the same request once, by default within 15 minutes. */
  approve(id: string): Promise<RequestedApproval> {
    const { approved: usageTimeMs } = this.getRequestContext().settings.approvals;
    return this.#decide(id, (_row, now) => ({
      status: "approved",
      decidedAt: now,
      expiresAt: now + usageTimeMs,
    }));
  }

  /**
   * Approves all requests for the same operation in the same project for a limited time: an hour by default, at most 24
   * hours. Transfers and restores cannot be approved this way.
   */
  approveWindow(id: string, milliseconds?: number): Promise<RequestedApproval> {
    const { window: defaultWindowMs, maxWindow: maxWindowMs } = this.getRequestContext().settings.approvals;
    const windowMs = milliseconds ?? defaultWindowMs;
    if (!(windowMs > 0 && windowMs <= maxWindowMs)) {
      throw controlErrors.windowTooLong(maxWindowMs);
    }
    return this.#decide(id, (row, now) => {
      if (!allowsWindow(row.operationId)) {
        throw controlErrors.windowNotAllowed(row.operationId);
      }
      const end = now + windowMs;
      return { status: "approved_window", decidedAt: now, windowExpiresAt: end, expiresAt: end };
    });
  }

  /** Denies the request. The same request stays denied until its 15 minutes are over. */
  deny(id: string): Promise<RequestedApproval> {
    return this.#decide(id, (_row, now) => ({ status: "denied", decidedAt: now }));
  }

  #decide(
    id: string,
    createChanges: (row: ApprovalRow, now: number) => Partial<ApprovalRow>,
  ): Promise<RequestedApproval> {
    return runWriteTransaction(this.getRequestContext(), (context: OperationContext) => {
      const { store, clock } = context;
      const row = store.approvals.get(toCanonicalId("approval", id));
      if (!row) throw controlErrors.notFound("approval", id);
      const now = clock.now();
      const { status } = applyExpiry(row, now);
      if (status !== "pending") throw controlErrors.approvalDecided(status);
      const decidedRow = store.approvals.update(row.id, createChanges(row, now));
      return serializeRequestedApproval(context, decidedRow, now);
    });
  }
}
