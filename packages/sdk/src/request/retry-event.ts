import type { Attempt } from "../errors/attempt.js";

/** A request that will be sent again. */
export interface RetryEvent {
  /** HTTP method in uppercase, such as `GET`. */
  readonly method: string;
  /** URL of the request, without its query. */
  readonly url: string;
  /** The requests that the call has sent so far; the last one explains why another is needed. */
  readonly attempts: readonly Attempt[];
  /** Milliseconds of pause before the request is sent again. */
  readonly pauseMs: number;
}
