import type { HttpMethod } from "../generated/operations.js";
import type { Transport } from "../transport/transport.js";
import type { ApprovalWaitOptions } from "../wait/wait-options.js";
import type { Middleware } from "./middleware.js";
import type { Token } from "./token.js";

/** One call, before it is written as an HTTP request. */
export interface Call {
  /** HTTP method, in capitals. A POST is not sent again when the service may have taken it. */
  method: HttpMethod;
  /** As the contract writes it: `/v1/projects/{id}`. */
  path: string;
  /** A value for every `{name}` of `path`. Encoded; empty values and dot segments are refused. */
  pathParams?: Record<string, string>;
  /** Strings, numbers and booleans; null and undefined are left out. */
  query?: object | undefined;
  /** Sent as JSON; undefined sends no body. A GET has none. */
  body?: unknown;
}

/** How requests are sent; what is left out is as on the client. */
export interface SendOptions {
  /** Added to the client's headers, replacing those of the same name. */
  headers?: Record<string, string> | undefined;
  /** Used instead of the client's. */
  token?: Token | undefined;
  /** Used instead of the client's. */
  transport?: Transport | undefined;
  /** Runs inside the client's own. */
  middleware?: readonly Middleware[] | undefined;
  /** As on the client. */
  debug?: boolean | ((line: string) => void) | undefined;
}

/** What a caller may say of one call; what is left out is as on the client. */
export interface RequestOptions extends SendOptions {
  /** Ends the call at any moment, also within a pause between retries; it then throws the signal's own `reason`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call: connection, body and every retry. `Infinity`: no deadline. */
  timeoutMs?: number | undefined;
  /** How often the request is sent again when that is safe and may help. 0: never. */
  maxRetries?: number | undefined;
  /** The longest `Retry-After`, in milliseconds, that is waited for. */
  maxRetryAfterMs?: number | undefined;
  /** As on the client: false does not wait, true waits as the client says, an object changes what it says. */
  waitForApproval?: boolean | ApprovalWaitOptions | undefined;
}

/** What a caller may say of a list. */
export interface ListOptions extends RequestOptions {
  /**
   * Whether a walk asks for the next page while the current one is worked on. One page is then asked for in vain when the
   * walk is left early. Default: false.
   */
  prefetch?: boolean | undefined;
}
