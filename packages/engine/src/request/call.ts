import type { Authenticator, VerifiedToken } from "../world/authenticator.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { Call } from "../world/behavior.js";
import type { World } from "../world/world.js";

const noBearers: Call["bearers"] = {};

/**
 * Returns the call that a behavior handles.
 *
 * @param tokens the verified access tokens in the body, by field.
 */
export const callOf = (
  authenticator: Authenticator,
  world: World,
  { operation, principal, valid: { path, query, body } }: AuthorizedRequest,
  tokens: Readonly<Record<string, VerifiedToken | undefined>>,
): Call => {
  const { id: operationId, foreignStatus, secretFields } = operation;
  const bearers = secretFields.length === 0 ? noBearers : bearersOf(authenticator, world, tokens);
  const call: Record<keyof Call, unknown> = {
    operationId,
    world,
    principal,
    path,
    query,
    body,
    bearers,
    foreignStatus,
  };
  // The validators of the operation have checked the types of path, query and body.
  return call as unknown as Call;
};

const bearersOf = (
  authenticator: Authenticator,
  world: World,
  tokens: Readonly<Record<string, VerifiedToken | undefined>>,
): Call["bearers"] =>
  Object.fromEntries(
    Object.entries(tokens).map(([field, token]) => [
      field,
      token && authenticator.refusal(world, token) === undefined ? token.principal : undefined,
    ]),
  );
