import type { Timers } from "./timers.js";

/** The limits that end a piece of work early. */
export interface DeadlineOptions {
  /** The work ends when any of them is aborted. */
  signals: readonly AbortSignal[];
  timeoutMs: number;
  /** Returns the error that is thrown at the deadline. */
  onTimeout: () => Error;
  timers: Timers;
}

/** Notifies a piece of work that its time is over. An `AbortController` is one. */
export interface Limit {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
}

/** A class of limits. Each instance notifies one piece of work that it has ended early. */
export type LimitClass = new (limits: DeadlineOptions) => Limit;
