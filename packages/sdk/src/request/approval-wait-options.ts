import type { ApprovalStatus } from "../generated/types.js";

/** The progress of a wait. */
export interface WaitProgress {
  /** Number of polls so far. */
  polls: number;
  /** Milliseconds since the wait began. */
  elapsedMs: number;
  /** Milliseconds until its deadline; `Infinity` without one. */
  remainingMs: number;
}

/** When a wait polls. */
export interface PollOptions {
  /**
   * Milliseconds between two polls. Default: random pauses, whose bound grows from 200 to 5,000. A longer `Retry-After` after a
   * failed poll is respected in any case.
   */
  pollIntervalMs?: number | undefined;
  /**
   * Pauses between two polls, instead of a timer: a test can pass one that returns immediately. `signal` is aborted at the deadline, and
   * when the caller aborts. An error that it throws ends the wait.
   */
  sleep?: ((ms: number, signal: AbortSignal) => unknown) | undefined;
}

/** How calls wait for the approval of an agent's sponsor. */
export interface ApprovalWaitOptions extends PollOptions {
  /**
   * Milliseconds for the wait alone; the requests before and after it have the call's own `timeoutMs` each. Default:
   * 1,200,000, which is longer than the 15 minutes after which an approval expires. `Infinity` sets no deadline.
   */
  timeoutMs?: number | undefined;
  /**
   * Called when a call starts to wait, and after every poll of the approval. Its return value is ignored. The first error that it throws is
   * printed with `console.warn`.
   */
  onProgress?: ((progress: ApprovalProgress) => unknown) | undefined;
}

/** The progress of a call that waits for an approval. */
export interface ApprovalProgress extends WaitProgress {
  approvalId: string;
  /** Page where the sponsor decides; show it to the user. Contains no credential. */
  approvalUrl: string;
  /** When the approval expires. ISO 8601. */
  expiresAt: string;
  status: ApprovalStatus;
  /** Method of the waiting call. */
  method: string;
  /** Path of the waiting call as in the contract: `/v1/databases/{databaseId}`. */
  path: string;
}
