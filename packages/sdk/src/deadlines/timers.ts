/** The timers that a client waits with. `globalThis` has them, as do the clocks of libraries for fake timers. */
export interface Timers {
  /** Calls `callback` once, in `ms` milliseconds. Returns the argument for `clearTimeout`. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Replaces `setTimeout` for pauses between retries and polls, so that timers can distinguish them from deadlines. */
  setPause?(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  readonly performance: {
    /** Milliseconds since any fixed time. Never goes back. */
    now(): number;
  };
}
