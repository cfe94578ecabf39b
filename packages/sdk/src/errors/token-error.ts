import { MgmtError, type MgmtErrorOptions } from "./mgmt-error.js";

/**
 * There is no token to send (`token:missing`); or the `token` function threw, or the token is not one (`token:unavailable`). The error of
 * the function is the `cause`.
 */
export class TokenError extends MgmtError {
  static override readonly kind: string = "TokenError";

  constructor(message: string, options?: MgmtErrorOptions & { code?: string }) {
    super(options?.code ?? "token:unavailable", message, options);
  }
}
