import { errors } from "./errors.js";
import type { OperationEntry } from "./operation.js";
import { type Principal, adminScope } from "./principal.js";

/**
 * Throws 403 `auth:forbidden` without the scope `workspace:admin`, and for an agent on an operation that is never an
 * agent's (§ Agents and approvals). Whether the credential reaches the resource is seen where that is looked up.
 */
export const authorize = (operation: OperationEntry, principal: Principal): void => {
  if (!principal.scopes.includes(adminScope)) {
    throw errors.forbidden(
      `The access token lacks the scope ${adminScope}`,
      `Ask for a token with the scope ${adminScope}`,
    );
  }
  if (principal.kind === "agent" && operation.agentApproval === "never") {
    throw errors.forbidden(
      "An agent may not do this, with or without an approval",
      "Ask the agent's sponsor to do it with a credential of their own",
    );
  }
};
