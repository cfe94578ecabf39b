import { allowsWindow, approvalAt } from "../request/approvals.js";
import { canonicalId } from "../request/ids.js";
import type { ControlledWorld } from "./controlled-world.js";
import type { ApprovalRow } from "../store/rows.js";
import { ControlError } from "./control-error.js";

/** The sponsor's side of approvals (§ Agents and approvals): deciding is no operation of the API. */
export class ApprovalsControl {
  constructor(private readonly world: () => ControlledWorld) {}

  /** All approvals, oldest first, each in the state that it has now. */
  list(): ApprovalRow[] {
    const now = this.world().clock.now();
    return this.world()
      .store.approvals.list({})
      .map((row) => approvalAt(row, now));
  }

  /** Lets the same request through once, within 15 minutes. */
  approve(id: string): Promise<ApprovalRow> {
    const now = this.world().clock.now();
    const expiresAt = now + this.world().settings.approvals.approved;
    return this.#decide(id, () => ({ status: "approved", decidedAt: now, expiresAt }));
  }

  /**
   * Lets the same operation in the same project through for a while: an hour by default, at most 24. Not for transfers and
   * restores.
   */
  approveWindow(id: string, milliseconds?: number): Promise<ApprovalRow> {
    const now = this.world().clock.now();
    const { window, maxWindow } = this.world().settings.approvals;
    const length = milliseconds ?? window;
    if (!(length > 0 && length <= maxWindow)) {
      throw new ControlError(400, `A window is longer than 0 and at most ${String(maxWindow)} ms`);
    }
    const end = now + length;
    return this.#decide(id, (row) => {
      if (!allowsWindow(row.operationId)) {
        throw new ControlError(409, `There is no window for ${row.operationId}; approve it once`);
      }
      return { status: "approved_window", decidedAt: now, windowExpiresAt: end, expiresAt: end };
    });
  }

  /** Refuses the request; the same one is refused again until its 15 minutes are over. */
  deny(id: string): Promise<ApprovalRow> {
    return this.#decide(id, () => ({ status: "denied", decidedAt: this.world().clock.now() }));
  }

  async #decide(id: string, change: (row: ApprovalRow) => Partial<ApprovalRow>): Promise<ApprovalRow> {
    const { store, clock } = this.world();
    const row = store.approvals.get(canonicalId("approval", id));
    if (!row) throw new ControlError(404, `There is no approval ${id}`);
    const { status } = approvalAt(row, clock.now());
    if (status !== "pending")
      throw new ControlError(409, `The approval is ${status}; only a pending one can be decided`);
    const decided = store.approvals.update(row.id, change(row));
    await this.world().saved();
    return decided;
  }
}
