import { MgmtError, type MgmtErrorOptions } from "./mgmt-error.js";

/**
 * The call was refused before anything was sent: an empty id, a header that no request can carry, a wrong option. Or a
 * middleware returned no answer, whatever was sent: `argument` is `middleware`.
 */
export class InvalidArgumentError extends MgmtError {
  static override readonly kind: string = "InvalidArgumentError";
  /** Name of the argument: `baseUrl`, `headers["x-tenant"]`, `pathParams` names such as `projectId`. */
  readonly argument: string;
  /** What is wrong with it, as the predicate of a sentence: `must be an absolute URL`. The message is `<argument> <problem>`. */
  readonly problem: string;

  constructor(argument: string, problem: string, options?: ErrorOptions & { hint?: string }) {
    super("argument:invalid", `${argument} ${problem}`, {
      hint: "Nothing was sent: mend the argument.",
      ...options,
      advice: "fix_argument",
    });
    this.argument = argument;
    this.problem = problem;
  }
}

/** The `token` function threw, or answered something that is no token. What it threw is the `cause`. */
export class TokenError extends MgmtError {
  static override readonly kind: string = "TokenError";

  constructor(message: string, options?: FailureOptions) {
    super(options?.code ?? "token:unavailable", message, options);
  }
}

/** No whole answer came. Whether the service has done the work is unknown. What the transport threw is the `cause`. */
export class ConnectionError extends MgmtError {
  static override readonly kind: string = "ConnectionError";
  /** Method of the request. */
  readonly method: string;
  /** Address of the request, without its query. */
  readonly url: string;
  /** `ECONNREFUSED`, `ECONNRESET` …, or whatever the transport said. */
  readonly reason: string;

  constructor(
    request: { method: string; url: string },
    problem: string,
    options?: FailureOptions & { reason?: string },
  ) {
    const url = request.url.replace(/\?.*/s, "");
    super(options?.code ?? "connection:failed", `${request.method} ${url} ${problem}`, {
      hint: "Check baseUrl, timeoutMs and that the service can be reached.",
      advice: "check_base_url",
      ...options,
    });
    this.method = request.method;
    this.url = url;
    this.reason = options?.reason ?? problem;
  }
}

interface FailureOptions extends MgmtErrorOptions {
  code?: string;
}

/** The deadline passed before the whole answer was there. */
export class TimeoutError extends ConnectionError {
  static override readonly kind: string = "TimeoutError";
  /** Milliseconds that the call had. */
  readonly timeoutMs: number;

  constructor(request: { method: string; url: string }, timeoutMs: number) {
    super(request, `got no whole answer within ${timeoutMs} ms`, {
      code: "connection:timeout",
      reason: "timeout",
    });
    this.timeoutMs = timeoutMs;
  }
}

/** Why a list cannot be continued: the service repeated a cursor, or reported more items without a cursor. */
export type PagingFault = "cursor_repeated" | "cursor_missing";

/** A list cannot be continued. */
export class PagingError extends MgmtError {
  static override readonly kind: string = "PagingError";
  /** The `x-request-id` of the page that went wrong. */
  declare readonly requestId?: string;
  /** What the service did wrong. */
  readonly reason: PagingFault;

  constructor(reason: PagingFault, requestId: string | undefined) {
    const repeated = reason === "cursor_repeated";
    super(
      "paging:broken",
      repeated ? "The service repeated a cursor" : "The service reported more items but sent no cursor",
      { hint: "The items before this page are valid. Report the request ID to the service's operator." },
    );
    this.reason = reason;
    if (requestId !== undefined) this.requestId = requestId;
  }
}
