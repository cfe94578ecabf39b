import type { Authenticator, VerifiedToken } from "../context/authenticator.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { OperationCall } from "../context/operation-handler.js";
import type { OperationContext } from "../context/operation-context.js";

const noBearers: OperationCall["bearers"] = {};

/**
 * Returns the call that a handler receives.
 *
 * @param verifiedTokens the verified access tokens in the body, by field.
 */
export const createOperationCall = (
  authenticator: Authenticator,
  context: OperationContext,
  { operation, principal, validRequest: { path, query, body } }: AuthorizedRequest,
  verifiedTokens: Readonly<Record<string, VerifiedToken | undefined>>,
): OperationCall => {
  const { id: operationId, foreignStatus, secretFields } = operation;
  const bearers = secretFields.length === 0 ? noBearers : findBearers(authenticator, context, verifiedTokens);
  const call: Record<keyof OperationCall, unknown> = {
    operationId,
    context,
    principal,
    path,
    query,
    body,
    bearers,
    foreignStatus,
  };
  // The validators of the operation have checked the types of path, query and body.
  return call as unknown as OperationCall;
};

const findBearers = (
  authenticator: Authenticator,
  context: OperationContext,
  verifiedTokens: Readonly<Record<string, VerifiedToken | undefined>>,
): OperationCall["bearers"] =>
  Object.fromEntries(
    Object.entries(verifiedTokens).map(([field, token]) => [
      field,
      token && authenticator.findInactiveReason(context, token) === undefined ? token.principal : undefined,
    ]),
  );
