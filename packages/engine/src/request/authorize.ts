import { errors } from "../values/errors.js";
import type { OperationEntry } from "../generated/operations.js";
import { type Principal, adminScope } from "../values/principal.js";
import type { ValidRequest } from "./validate.js";

/** A valid request of a principal who may use the operation. */
export interface AuthorizedRequest {
  readonly operation: OperationEntry;
  readonly principal: Principal;
  readonly validRequest: ValidRequest;
}

/**
 * Requires the scope `workspace:admin`, and rejects agents where the operation's `agentApproval` is `never`. Whether the
 * principal can reach the resource is decided by the check of the operation.
 *
 * @throws RequestError 403 `auth:forbidden`.
 */
export const assertAuthorized = (operation: OperationEntry, principal: Principal): void => {
  if (!principal.scopes.includes(adminScope)) {
    throw errors["auth:forbidden/scope"]({ scope: adminScope });
  }
  if (principal.kind === "agent" && operation.agentApproval === "never") {
    throw errors["auth:forbidden/agent"]();
  }
};
