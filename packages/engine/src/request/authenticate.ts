import { errors } from "./errors.js";
import { type EngineRequest, header } from "./message.js";
import type { Principal } from "./principal.js";
import type { World } from "./world.js";

/** Why a token is not accepted. */
export type TokenRefusal = "invalid" | "expired" | "revoked";

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
  refusal(world: World, token: VerifiedToken): TokenRefusal | undefined;
}

const reasons: Readonly<Record<TokenRefusal, string>> = {
  invalid: "The access token is not valid",
  expired: "The access token has expired",
  revoked: "The access token has been revoked",
};

/**
 * Verifies the token of the request's `Authorization` header. Synchronous for a token that was verified before.
 *
 * @throws RequestError 401 `auth:unauthorized` when the header is missing or malformed.
 */
export const verifyBearer = (
  authenticator: Authenticator,
  request: EngineRequest,
): ReturnType<Authenticator["verify"]> => authenticator.verify(bearerToken(header(request, "authorization")));

const bearerToken = (authorization: string | undefined): string => {
  if (authorization === undefined) throw errors.unauthorized("The request has no access token");
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined) throw errors.unauthorized("The Authorization header is not a bearer token");
  return token;
};

/**
 * Returns the principal of a token.
 *
 * @throws RequestError 401 `auth:unauthorized` when the token is not active.
 */
export const authenticate = (
  authenticator: Authenticator,
  world: World,
  token: VerifiedToken | undefined,
): Principal => {
  const refusal = token === undefined ? "invalid" : authenticator.refusal(world, token);
  if (token === undefined || refusal !== undefined) throw errors.unauthorized(reasons[refusal ?? "invalid"]);
  return token.principal;
};
