/**
 * A bearer token, or a function that is asked for one before every request, and once more when the service answers 401: if
 * it then gives another token, the request is sent a second time.
 */
export type Token = string | ((request: TokenRequest) => string | Promise<string>);

/** What a token is wanted for. */
export interface TokenRequest {
  /** Aborted at the call's deadline, and when its caller aborts. */
  signal: AbortSignal;
  /** Milliseconds that the whole call may take. */
  timeoutMs: number;
  /** The token that the service has just answered 401 to. */
  rejected?: string | undefined;
}
