import type { ApprovalWaitOptions } from "../wait/wait-options.js";

/** One call, before it is written as an HTTP request. */
export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As the contract writes it: `/v1/projects/{id}`. */
  path: string;
  /** A value for every `{name}` of `path`. Encoded; empty values and dot segments are refused. */
  pathParams?: Record<string, string>;
  /** Strings, numbers and booleans; null and undefined are left out. */
  query?: object | undefined;
  /** Sent as JSON; undefined sends no body. */
  body?: unknown;
}

/** What a caller may say of one call. */
export interface RequestOptions {
  /** Ends the call at any moment; it then throws the signal's own `reason`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, its body included. Default: the client's. `Infinity`: no deadline. */
  timeoutMs?: number | undefined;
  /** Added to the client's headers, replacing those of the same name. */
  headers?: Record<string, string> | undefined;
  /** As on the client: false does not wait, true waits as the client says, an object changes what it says. */
  waitForApproval?: boolean | ApprovalWaitOptions | undefined;
}
