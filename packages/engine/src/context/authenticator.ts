import type { Preload } from "../store/preload.js";
import type { Principal } from "../values/principal.js";
import type { OperationContext } from "./operation-context.js";

/** Why a token is not accepted. */
export type TokenRejection = "invalid" | "expired" | "revoked";

/** A token whose signature and claims are valid. Times are milliseconds since 1970. */
export interface VerifiedToken {
  readonly principal: Principal;
  /** The grant of the login that the token comes from. */
  readonly grantId: string | null;
  readonly notBefore: number;
  /** `Infinity` for a token that never expires. */
  readonly expiresAt: number;
}

/** Verifies access tokens, and checks that they are active. */
export interface Authenticator {
  /**
   * Verifies the signature and the claims of a token; synchronous for a token that was verified before.
   *
   * @returns undefined when this server did not issue the token.
   */
  verify(token: string): VerifiedToken | undefined | Promise<VerifiedToken | undefined>;
  /** Returns why the token is not active at this moment; undefined when it is. */
  findInactiveReason(context: OperationContext, token: VerifiedToken): TokenRejection | undefined;
  /** Returns the rows that `findInactiveReason` reads. */
  preloads(token: VerifiedToken): readonly Preload[];
}
