import { errors } from "./errors.js";
import type { Principal } from "./principal.js";
import type { AccessTokens, Authentication, Refusal } from "../oauth/access-tokens.js";

const reasons: Readonly<Record<Refusal, string>> = {
  invalid: "The access token is not valid",
  expired: "The access token has expired",
  revoked: "The access token has been revoked",
};

/**
 * Who sends the request, by its `Authorization` header; at once for a token that was seen before. Throws 401
 * `auth:unauthorized` when the header is missing, or its token is forged, expired or revoked.
 */
export const authenticate = (
  tokens: AccessTokens,
  authorization: string | undefined,
): Principal | Promise<Principal> => {
  if (authorization === undefined) throw errors.unauthorized("The request carries no access token");
  const token = bearerToken(authorization);
  if (token === undefined) throw errors.unauthorized("The Authorization header is not a bearer token");
  const authentication = tokens.authenticate(token);
  return authentication instanceof Promise ? authentication.then(accept) : accept(authentication);
};

const bearerToken = (authorization: string): string | undefined =>
  /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)?.[1];

const accept = (authentication: Authentication): Principal => {
  if ("principal" in authentication) return authentication.principal;
  throw errors.unauthorized(reasons[authentication.refusal]);
};
