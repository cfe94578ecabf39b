import type { SendOptions } from "../request/call.js";
import type { WaitProgress } from "./approval-wait-options.js";

/** Options of a wait, and how its polls are sent. A wait tolerates transient failures by itself. */
export interface WaitOptions<T> extends SendOptions {
  /** Ends the wait at any time; it then throws the signal's `reason`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole wait. Each method documents its default. `Infinity` sets no deadline. */
  timeoutMs?: number | undefined;
  /**
   * Called with the resource after every poll, including the last. The wait continues when the returned promise resolves;
   * an error it throws ends the wait.
   */
  onProgress?: ((seen: T, progress: WaitProgress) => void | Promise<void>) | undefined;
}
