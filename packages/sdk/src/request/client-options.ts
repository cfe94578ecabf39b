import type { Fetch } from "../transport/fetch.js";
import type { Transport } from "../transport/transport.js";
import type { ApprovalWaitOptions } from "./approval-wait-options.js";
import type { Token } from "./call.js";
import type { Middleware } from "../transport/middleware.js";
import type { RetryEvent } from "./retry-event.js";
import type { Timers } from "../deadlines/timers.js";

/** Options of a client. */
export interface ClientOptions {
  /**
   * URL of the service, without `/v1`: `https://api.example.com`. A trailing slash is ignored. Default: the environment
   * variable `MGMT_BASE_URL`.
   */
  baseUrl?: string | undefined;
  /**
   * Whether `baseUrl` may be an `http:` URL of another machine, to which credentials and data are then sent unencrypted.
   * Default: false; `http:` is allowed for `localhost`, 127.0.0.0/8 (also as IPv4-mapped IPv6) and `[::1]` only. In
   * browsers, their own rules for [mixed content](https://www.w3.org/TR/mixed-content/) apply instead.
   */
  allowInsecureHttp?: boolean | undefined;
  /**
   * Sent as `Authorization: Bearer …`. Default: the environment variable `MGMT_TOKEN`, which is read at each call and only
   * used for the service at `MGMT_BASE_URL`, if that is set. False sends no credential.
   */
  token?: Token | false | undefined;
  /** Replaces `globalThis.fetch`. */
  fetch?: Fetch | undefined;
  /** Replaces `fetch`: `nodeTransport()` from `@mgmt/sdk/node`, or your own. */
  transport?: Transport | undefined;
  /** Sent with every request. */
  headers?: Record<string, string> | undefined;
  /** Milliseconds for one call: connection, body and every retry. Default: 60,000. `Infinity` sets no deadline. */
  timeoutMs?: number | undefined;
  /**
   * Maximum number of times a request is sent again when that is safe and may help. Default: 2; 0 disables retries.
   *
   * GET, PUT, PATCH and DELETE are retried after a lost connection and after 408, 429, 502, 503 and 504; a POST only when
   * the service certainly did not process it: no connection, 429, or 503 with `Retry-After`. Pauses have full jitter: they
   * are drawn from zero to a bound that doubles from half a second to eight seconds, and are added to `Retry-After`. A
   * DELETE that gets a 404 after an attempt of unknown outcome counts as successful.
   */
  maxRetries?: number | undefined;
  /**
   * Longest `Retry-After` to wait for, in milliseconds. A longer one, or one that ends after the deadline, throws the error
   * immediately, with `retryAfter`. Default: 60,000.
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * Called before each pause that precedes a retry, so that a program can explain why a call takes long. The first error that it throws is
   * printed with `console.warn`.
   */
  onRetry?: ((retry: RetryEvent) => unknown) | undefined;
  /** Wraps every request that is sent; the first is the outermost. */
  middleware?: readonly Middleware[] | undefined;
  /**
   * Prints every request and its response to `console.error`, or line by line to a function of yours. Tokens, passwords and connection
   * strings are redacted in headers, URLs and bodies. The first error that the function throws is printed with `console.warn`.
   * Default: false.
   */
  debug?: boolean | ((line: string) => unknown) | undefined;
  /**
   * For agents: whether a call that gets 403 `approval_required` waits for the sponsor's approval and then sends the same request once
   * more. Such a call may also throw the errors of `agentApprovals.wait`, with the `ApprovalRequiredError` as the `cause`. See the
   * `Approval` schema. Default: false; the `ApprovalRequiredError` is thrown immediately.
   */
  waitForApproval?: boolean | ApprovalWaitOptions | undefined;
  /**
   * For tests: the timers of deadlines, and of pauses between retries and polls. `mock.clientOptions()` of `@mgmt/mock` has timers that
   * move the mock's clock instead of waiting. Default: the timers of the JavaScript runtime.
   */
  timers?: Timers | undefined;
}
