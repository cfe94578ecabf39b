import type { Output } from "../output/output.js";

/** The state of a wait for a sponsor. */
export interface ApprovalState {
  approvalId: string;
  status: string;
  /** When the approval expires. ISO 8601. */
  expiresAt: string;
  /** Milliseconds until the wait times out. */
  remainingMs: number;
  /** Where the sponsor decides. Absent when only the approval itself is known. */
  approvalUrl?: string;
}

/** Shows waits for a sponsor: a line for each change and, on a terminal, a spinner with the time left. */
export class ApprovalProgress {
  /** Status by approval. */
  private readonly printedStatuses = new Map<string, string>();
  private endsAt = 0;
  private stopSpinner: (() => void) | undefined;

  constructor(private readonly output: Output) {}

  /** Pass it as the SDK's `onProgress`. */
  readonly report = ({ approvalId, approvalUrl, status, expiresAt, remainingMs }: ApprovalState): void => {
    const now = Date.now();
    const expiry = Date.parse(expiresAt);
    // If this clock is ahead of the service's, the approval looks expired before it is; the service decides.
    this.endsAt = Math.min(now + remainingMs, expiry > now ? expiry : Number.POSITIVE_INFINITY);
    if (this.printedStatuses.get(approvalId) === status) {
      if (status === "pending") this.ensureSpinner();
      return;
    }
    this.printedStatuses.set(approvalId, status);
    this.removeSpinner();
    const { output } = this;
    if (status !== "pending") return output.info(`Approval ${approvalId} is ${status}.`);
    const timeLeftSuffix = output.canAnimate ? "" : `, ${this.formatTimeLeft()} left`;
    const urlSuffix = approvalUrl === undefined ? "" : `: ${approvalUrl}`;
    output.notice({
      code: "approval:waiting",
      message: `Waiting for the sponsor's approval ${approvalId}${timeLeftSuffix}${urlSuffix}`,
      approvalId,
      ...(approvalUrl !== undefined && { approvalUrl }),
      expiresAt,
    });
    this.ensureSpinner();
  };

  /** Removes the spinner. */
  removeSpinner(): void {
    this.stopSpinner?.();
    this.stopSpinner = undefined;
  }

  private ensureSpinner(): void {
    this.stopSpinner ??= this.output.startSpinner(
      () => `${this.formatPending()}, ${this.formatTimeLeft()} left`,
    );
  }

  private formatPending(): string {
    const count = [...this.printedStatuses.values()].filter((status) => status === "pending").length;
    return count > 1 ? `${String(count)} approvals pending` : "pending";
  }

  private formatTimeLeft(): string {
    const seconds = Math.max(0, Math.round((this.endsAt - Date.now()) / 1_000));
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}
