import type { ApprovalStatus } from "../generated/types.js";
import type { SendOptions } from "../request/call.js";

/**
 * How long, and told to whom, a wait goes on, and how every look is sent. A wait sees itself to looking again after what may
 * pass.
 */
export interface WaitOptions<T> extends SendOptions {
  /** Ends the wait at any moment; it then throws the signal's own `reason`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole wait. The default stands at each method. `Infinity`: no deadline. */
  timeoutMs?: number | undefined;
  /**
   * Told of what every look saw, the last one too. Awaited before the wait goes on; what it throws ends the wait.
   */
  onProgress?: ((seen: T, progress: WaitProgress) => void | Promise<void>) | undefined;
}

/** How far a wait has come. */
export interface WaitProgress {
  /** How often it has looked. */
  looks: number;
  /** Milliseconds since the wait began. */
  elapsedMs: number;
  /** Milliseconds until its deadline; `Infinity` without one. */
  remainingMs: number;
}

/** How calls wait for the approval of an agent's sponsor. */
export interface ApprovalWaitOptions {
  /**
   * Milliseconds for the wait alone: the request before it and the one after it have the call's own `timeoutMs` each.
   * Default: 1,200,000, longer than the 15 minutes that a sponsor has. `Infinity`: no deadline.
   */
  timeoutMs?: number | undefined;
  /**
   * Told at once when a call begins to wait, and of what every look at the approval saw. Awaited before the wait goes on;
   * what it throws ends the call.
   */
  onProgress?: ((progress: ApprovalProgress) => void | Promise<void>) | undefined;
}

/** What a call waits for, and how far it has come. */
export interface ApprovalProgress extends WaitProgress {
  approvalId: string;
  /** Where the sponsor decides: show it. Carries no credential. */
  approvalUrl: string;
  /** Until when the sponsor can decide. ISO 8601. */
  expiresAt: string;
  status: ApprovalStatus;
  /** Method of the call that waits. */
  method: string;
  /** Path of the call that waits, as the contract writes it: `/v1/databases/{databaseId}`. */
  path: string;
}
