import type { SendOptions } from "../request/call.js";
import type { PollOptions, WaitProgress } from "../request/approval-wait-options.js";

/** Options of a wait, and how its polls are sent. A wait tolerates transient failures by itself. */
export interface WaitOptions<T> extends SendOptions, PollOptions {
  /** Ends the wait at any time; it then throws the signal's `reason`, or an `AbortError` whose `cause` is a reason that is no `Error`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole wait. Each method documents its default. `Infinity` sets no deadline. */
  timeoutMs?: number | undefined;
  /**
   * Called with the resource after every poll, including the last. Its return value is ignored. The first error that it throws is printed
   * with `console.warn`.
   */
  onProgress?: ((seen: T, progress: WaitProgress) => unknown) | undefined;
}
