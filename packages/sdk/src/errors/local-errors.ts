import { MgmtError, type MgmtErrorOptions } from "./mgmt-error.js";

/**
 * An argument is invalid, and nothing was sent: an empty ID, a header that HTTP does not allow, an invalid option. Or, with
 * `argument` set to `middleware`, a middleware returned no response; a request may have been sent then.
 */
export class InvalidArgumentError extends MgmtError {
  static override readonly kind: string = "InvalidArgumentError";
  declare readonly code: "argument:invalid";
  /** Name of the argument: `baseUrl`, `headers["x-customer"]`, or the name of a path parameter such as `projectId`. */
  declare readonly argument: string;
  /** The problem: `must be an absolute URL`. The message is `<argument> <problem>`. */
  declare readonly problem: string;

  constructor(argument: string, problem: string, options?: ErrorOptions & { hint?: string }) {
    super("argument:invalid", `${argument} ${problem}`, {
      hint: "Fix the argument; nothing was sent.",
      ...options,
      advice: "fix_argument",
    });
    this.argument = argument;
    this.problem = problem;
  }
}

/**
 * No complete response arrived. The service may have processed the request. `cause` is the error that the transport threw.
 */
export class ConnectionError extends MgmtError {
  static override readonly kind: string = "ConnectionError";
  /** `connection:timeout` if it is a `TimeoutError`. */
  declare readonly code: "connection:failed" | "connection:timeout";
  /** Method of the request. */
  declare readonly method: string;
  /** URL of the request, without its query. */
  declare readonly url: string;
  /** `ECONNREFUSED`, `ECONNRESET`, or another reason that the transport gave. */
  declare readonly reason: string;

  constructor(
    request: { method: string; url: string },
    problem: string,
    options?: MgmtErrorOptions & { code?: ConnectionError["code"]; reason?: string },
  ) {
    const url = removeQuery(request.url);
    super(options?.code ?? "connection:failed", `${request.method} ${url} ${problem}`, {
      hint: "Check baseUrl, timeoutMs and the network.",
      advice: "check_base_url",
      ...options,
    });
    this.method = request.method;
    this.url = url;
    this.reason = options?.reason ?? problem;
  }
}

/** Returns a URL without its query, which may contain personal data. */
export const removeQuery = (url: string): string => url.replace(/\?.*/s, "");

/**
 * Returns the code of the innermost cause of an error, or else its message. `ECONNREFUSED` is more specific than the message "fetch failed" of
 * the outer error.
 */
export const describeInnermostCause = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown reason";
  if (error.cause instanceof Error) return describeInnermostCause(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
};

/** The deadline passed before the complete response arrived. */
export class TimeoutError extends ConnectionError {
  static override readonly kind: string = "TimeoutError";
  declare readonly code: "connection:timeout";
  /** The call's timeout in milliseconds. */
  declare readonly timeoutMs: number;

  constructor(request: { method: string; url: string }, timeoutMs: number) {
    super(request, `got no complete response within ${timeoutMs} ms`, {
      code: "connection:timeout",
      reason: "timeout",
    });
    this.timeoutMs = timeoutMs;
  }
}
