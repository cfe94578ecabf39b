import type { Attempt } from "../errors/attempt.js";

/** Context of the tracing channel `@mgmt/sdk:call` of `node:diagnostics_channel`. The same object in all events of a call. */
export interface CallTrace {
  /** HTTP method. */
  readonly method: string;
  /** Path template as in the contract: `/v1/projects/{id}`. */
  readonly path: string;
  /** The requests sent so far. Grows during the call. */
  readonly attempts: readonly Attempt[];
  /** The error of the call; absent until it fails. */
  readonly error?: unknown;
}

/** Context of the tracing channel `@mgmt/sdk:attempt`. The same object in all events of a request. */
export interface AttemptTrace {
  /** HTTP method. */
  readonly method: string;
  /** Path template as in the contract. */
  readonly path: string;
  /** URL with ids and query. */
  readonly url: string;
  /** Number of the request within its call, from 1. */
  readonly number: number;
  /** Complete when the request has ended. */
  readonly attempt: Attempt;
  /** Why there was no response; absent otherwise. */
  readonly error?: unknown;
}
