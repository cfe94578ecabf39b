import type { HttpMethod } from "../generated/operations.js";
import type { Transport } from "../transport/transport.js";
import type { ApprovalWaitOptions } from "./approval-wait-options.js";
import type { Middleware } from "../transport/middleware.js";
import type { RetryEvent } from "./retry-event.js";

/** One call, before it is encoded as an HTTP request. */
export interface Call {
  /** HTTP method. A POST is not retried when the service may have processed it. */
  method: HttpMethod;
  /** Path template as in the contract: `/v1/projects/{id}`. */
  path: string;
  /** A value for every `{name}` in `path`. Values are encoded; empty values and dot segments are rejected. */
  pathParams?: Record<string, string>;
  /** Strings, numbers and booleans; null and undefined are left out. */
  query?: object | undefined;
  /** Sent as JSON; undefined sends no body. A GET cannot have one. */
  body?: unknown;
}

/** A call of a method of a resource, which has the values of `path` in its order. */
export interface ContractCall extends Omit<Call, "pathParams"> {
  pathParams: readonly string[];
}

/**
 * A bearer token, or a function that returns one. The function is called before every request, and again when the service
 * responds with 401: if it then returns a different token, the request is sent once more.
 */
export type Token = string | ((request: TokenRequest) => string | Promise<string>);

/** The argument of a token function. */
export interface TokenRequest {
  /** Aborted at the call's deadline, and when its caller aborts. */
  signal: AbortSignal;
  /** Milliseconds the whole call may take. */
  timeoutMs: number;
  /** The token that the service has just rejected with 401. */
  rejected?: string | undefined;
}

/** How requests are sent. The defaults are the options of the client. */
export interface SendOptions {
  /** Added to the client's headers; replaces headers of the same name. */
  headers?: Record<string, string> | undefined;
  /** Replaces the client's token; false sends no credential. */
  token?: Token | false | undefined;
  /** Replaces the client's transport. */
  transport?: Transport | undefined;
  /** Runs inside the client's middleware. */
  middleware?: readonly Middleware[] | undefined;
  /** As for the client. */
  debug?: boolean | ((line: string) => unknown) | undefined;
}

/** Options of one call. The defaults are the options of the client. */
export interface RequestOptions extends SendOptions {
  /** Ends the call at any time, including the pause before a retry; the call then throws the signal's `reason`, or an `AbortError` whose `cause` is a reason that is no `Error`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call: connection, body and every retry. `Infinity` sets no deadline. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries; 0 disables them. */
  maxRetries?: number | undefined;
  /** Longest `Retry-After` to wait for, in milliseconds. */
  maxRetryAfterMs?: number | undefined;
  /** Replaces the client's. */
  onRetry?: ((retry: RetryEvent) => unknown) | undefined;
  /** As for the client: false does not wait, true waits with the client's options, an object overrides some of them. */
  waitForApproval?: boolean | ApprovalWaitOptions | undefined;
}

/** Options of a list call. */
export interface ListOptions extends RequestOptions {
  /**
   * Whether an iteration requests the next page while the current one is processed. Leaving the iteration early then wastes
   * one request. Default: false.
   */
  prefetch?: boolean | undefined;
}
