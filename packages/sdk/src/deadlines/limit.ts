import type { Timers } from "./timers.js";

/** The limits that end a piece of work early. */
export interface DeadlineOptions {
  /** The first of them that is aborted ends the work. */
  signals: readonly AbortSignal[];
  timeoutMs: number;
  /** Makes the error that is thrown at the deadline. */
  onTimeout: () => Error;
  timers: Timers;
}

/** Tells a piece of work that it has ended early. An `AbortController` is one. */
export interface Limit {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
}

export type LimitClass = new (limits: DeadlineOptions) => Limit;
