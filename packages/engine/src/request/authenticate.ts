import { errors } from "../values/errors.js";
import type { RequestError } from "../values/request-error.js";
import { type EngineRequest, getHeader } from "../values/message.js";
import type { Principal } from "../values/principal.js";
import type { Authenticator, TokenRejection, VerifiedToken } from "../context/authenticator.js";
import type { OperationContext } from "../context/operation-context.js";

const rejectionErrors: Readonly<Record<TokenRejection, () => RequestError>> = {
  invalid: errors["auth:unauthorized"],
  expired: errors["auth:unauthorized/expired"],
  revoked: errors["auth:unauthorized/revoked"],
};

/**
 * Verifies the token of the request's `Authorization` header. Synchronous for a token that was verified before.
 *
 * @throws RequestError 401 `auth:unauthorized` when the header is missing or malformed.
 */
export const verifyBearer = (
  authenticator: Authenticator,
  request: EngineRequest,
): ReturnType<Authenticator["verify"]> =>
  authenticator.verify(parseBearerToken(getHeader(request, "authorization")));

const parseBearerToken = (authorization: string | undefined): string => {
  if (authorization === undefined) throw errors["auth:unauthorized/missing"]();
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined) throw errors["auth:unauthorized/malformed"]();
  return token;
};

/**
 * Returns the principal of a token.
 *
 * @throws RequestError 401 `auth:unauthorized` when the token is not active.
 */
export const authenticate = (
  authenticator: Authenticator,
  context: OperationContext,
  token: VerifiedToken | undefined,
): Principal => {
  const rejection = token === undefined ? "invalid" : authenticator.findInactiveReason(context, token);
  if (token === undefined || rejection !== undefined) throw rejectionErrors[rejection ?? "invalid"]();
  return token.principal;
};
