import { MgmtError, type MgmtErrorOptions } from "./mgmt-error.js";

/** The `token` function threw, or returned something that is not a token. What it threw is the `cause`. */
export class TokenError extends MgmtError {
  static override readonly kind: string = "TokenError";

  constructor(message: string, options?: MgmtErrorOptions & { code?: string }) {
    super(options?.code ?? "token:unavailable", message, options);
  }
}

/** Makes the error for a token that cannot be sent. It never quotes the token. */
export const malformedToken = (): TokenError =>
  new TokenError("The token is empty or has characters that are not allowed in a header", {
    hint: "Check for a line break or a leading `Bearer `.",
    advice: "check_token",
  });

/** Makes the error for what the `token` function threw. A `TokenError` is returned unchanged. */
export const tokenFunctionError = (cause: unknown): TokenError =>
  cause instanceof TokenError
    ? cause
    : new TokenError("The token function failed", { hint: "See the error's cause.", cause });
