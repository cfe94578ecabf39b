/** One HTTP request of a call. */
export interface Attempt {
  /** Milliseconds of pause before it. */
  pauseMs: number;
  /** Milliseconds it took; absent when the call ended first. */
  durationMs?: number;
  /** HTTP status of the response; absent when there was none. */
  status?: number;
  /** Why there was no response: `ECONNRESET`. */
  reason?: string;
}
