import type { Advice, MgmtError } from "../errors/mgmt-error.js";
import { TokenError } from "../errors/token-error.js";

/** Error codes for login, token refresh, logout and the token store. */
export type AuthErrorCode =
  /** No one is logged in, or the login has expired or was revoked. */
  | "auth:login_required"
  /** The user, or the server on the user's behalf, denied the login. */
  | "auth:denied"
  /** The authorization code could not be exchanged for tokens. */
  | "auth:login_failed"
  /** The callback does not belong to the login that was started. */
  | "auth:state_mismatch"
  /** The response or the stored credential comes from an unexpected authorization server. */
  | "auth:issuer_mismatch"
  /** The callback is malformed, such as one with neither a code nor an error. */
  | "auth:callback_invalid"
  /** The user, the server or the store took too long. */
  | "auth:timeout"
  /** The server returned no new access token. The refresh token may still be valid. */
  | "auth:refresh_failed"
  /** The server did not confirm that the tokens are revoked. */
  | "auth:revoke_failed"
  /** The server's metadata could not be loaded. */
  | "auth:discovery_failed"
  /** The program cannot listen for the callback. */
  | "auth:listen_failed"
  /** The CLI, whose login the program uses, is missing or failed. */
  | "auth:cli_failed"
  /** The store contains something other than a credential. */
  | "auth:store_corrupt"
  /** The store cannot be read. */
  | "auth:store_unreadable"
  /** The store is read-only. */
  | "auth:store_read_only"
  /** The store could not be written for another reason. */
  | "auth:store_failed";

/** Fields of an `AuthError` besides its code and message. */
export interface AuthErrorInit {
  hint: string;
  advice?: Advice | undefined;
  /** OAuth error code. */
  oauthError?: string | undefined;
  /** HTTP status of the authorization server's response. */
  status?: number | undefined;
  /** An error of the SDK, which never contains a secret. */
  cause?: MgmtError | undefined;
}

/**
 * Reports a failed login, token refresh or logout. `code` identifies the problem and `hint` describes what to do. Neither
 * the error nor its `cause` contains a token, authorization code, PKCE verifier or client secret.
 */
export class AuthError extends TokenError {
  static override readonly kind: string = "AuthError";

  declare readonly code: AuthErrorCode;
  declare readonly hint: string;
  /** OAuth error code in the server's response, such as `invalid_grant` or `access_denied`. */
  declare readonly oauthError?: string;
  /** HTTP status of the server's response. */
  declare readonly status?: number;

  constructor(code: AuthErrorCode, message: string, init: AuthErrorInit) {
    const { hint, advice, cause, oauthError, status } = init;
    super(message, { code, hint, advice, ...(cause !== undefined && { cause }) });
    if (oauthError !== undefined) this.oauthError = oauthError;
    if (status !== undefined) this.status = status;
  }
}

/** Reports that a new login is required: there is no credential, or the server no longer accepts it. */
export class LoginRequiredError extends AuthError {
  static override readonly kind: string = "LoginRequiredError";
  declare readonly code: "auth:login_required";

  /** @param hint default: to log in. */
  constructor(problem: string, cause?: AuthError, hint = "Log in.") {
    super("auth:login_required", problem, {
      hint,
      advice: "log_in",
      cause,
      oauthError: cause?.oauthError,
      status: cause?.status,
    });
  }
}

/** Reports that the token store does not work. Its content is unchanged. */
export class TokenStoreError extends AuthError {
  static override readonly kind: string = "TokenStoreError";
}
