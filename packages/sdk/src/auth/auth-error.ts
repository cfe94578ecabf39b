import type { Advice } from "../errors/mgmt-error.js";
import { TokenError } from "../errors/token-error.js";

/** What can go wrong between a program, its user, the authorization server and the store of credentials. */
export type AuthErrorCode =
  /** Nobody is logged in, or the login has ended. */
  | "auth:login_required"
  /** The user, or the server on their behalf, said no. */
  | "auth:denied"
  /** The code could not be turned into tokens. */
  | "auth:login_failed"
  /** The callback does not answer the login that was begun. */
  | "auth:state_mismatch"
  /** Another authorization server than the expected one answered, or gave the stored credential. */
  | "auth:issuer_mismatch"
  /** The callback carries neither a code nor an error. */
  | "auth:callback_invalid"
  /** The user, the server or the store took too long. */
  | "auth:timeout"
  /** The server gave no new access token; whether the refresh token still holds is unknown. */
  | "auth:refresh_failed"
  /** The server did not confirm the end of the tokens. */
  | "auth:revoke_failed"
  /** The server's metadata could not be had. */
  | "auth:discovery_failed"
  /** The program cannot listen for the callback. */
  | "auth:listen_failed"
  /** The store holds something that is no credential. */
  | "auth:store_corrupt"
  /** The store cannot be read. */
  | "auth:store_unreadable"
  /** The store may not be written. */
  | "auth:store_read_only"
  /** The store could not be written, for another reason. */
  | "auth:store_failed";

/** What an `AuthError` may carry besides its code and message. */
export interface AuthErrorInit {
  hint: string;
  advice?: Advice | undefined;
  /** Error code of OAuth. */
  oauthError?: string | undefined;
  /** HTTP status of the authorization server's answer. */
  status?: number | undefined;
  /** Another error of the SDK: those hold no secret. */
  cause?: TokenError | undefined;
}

/**
 * Logging in, staying logged in or logging out failed. `code` says how, `hint` what to do. No token, code, verifier or
 * client secret is ever in one, nor in its `cause`.
 */
export class AuthError extends TokenError {
  static override readonly kind: string = "AuthError";

  declare readonly code: AuthErrorCode;
  declare readonly hint: string;
  /** Error code of OAuth in the server's answer: `invalid_grant`, `access_denied`, … */
  declare readonly oauthError?: string;
  /** HTTP status of the server's answer. */
  declare readonly status?: number;

  constructor(code: AuthErrorCode, message: string, init: AuthErrorInit) {
    const { hint, advice, cause, oauthError, status } = init;
    super(message, { code, hint, advice, cause });
    if (oauthError !== undefined) this.oauthError = oauthError;
    if (status !== undefined) this.status = status;
  }
}

/** Only a new login helps: there is no credential, or the server does not honour it any more. */
export class LoginRequiredError extends AuthError {
  static override readonly kind: string = "LoginRequiredError";
  declare readonly code: "auth:login_required";

  constructor(problem: string, cause?: AuthError) {
    super("auth:login_required", problem, {
      hint: "Log in again.",
      advice: "log_in",
      cause,
      oauthError: cause?.oauthError,
      status: cause?.status,
    });
  }
}

/** The place where the credential is kept does not work. What is in it is left as it is. */
export class TokenStoreError extends AuthError {
  static override readonly kind: string = "TokenStoreError";
}
