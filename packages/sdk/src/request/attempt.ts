/** One HTTP request of a call. */
export interface Attempt {
  /** Milliseconds of pause before it. */
  pauseMs: number;
  /** Milliseconds that it took; absent when the call ended before it did. */
  durationMs?: number;
  /** Status of its answer. */
  status?: number;
  /** Why there was no answer: `ECONNRESET`. */
  reason?: string;
}
