import { errorFrom } from "../errors/error-from.js";
import { isKind } from "../errors/mgmt-error.js";
import type { ApprovalRequiredError } from "../generated/errors.js";
import type { Approval } from "../generated/types.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Look } from "../wait/wait-for.js";
import { waitForSponsor } from "../wait/waiters.js";
import type { Attempt } from "./attempt.js";
import type { Call } from "./call.js";
import { deliver } from "./deliver.js";
import type { Message } from "./encode.js";
import { requestPath } from "./request.js";
import type { Settings } from "./settings.js";

/** After a 403 that asks for an approval: waits for it, and sends the same request once more. Any other 403 is the answer. */
export const sendOnceApproved = async (
  settings: Settings,
  message: Message,
  signal: AbortSignal | undefined,
  attempts: Attempt[],
  refusal: TransportResponse,
): Promise<TransportResponse> => {
  const required = errorFrom(message, refusal);
  if (!isApprovalRequired(required) || !required.approvalId) return refusal;
  await waitForSponsor(required, lookAt(settings, message, required), settings.waitForApproval ?? {}, signal);
  return deliver(settings, message, signal, attempts);
};

const isApprovalRequired = (error: unknown): error is ApprovalRequiredError =>
  isKind(error, "approval_required");

/** Reads the approval that a message needs, with the message's own credential and headers; it has no body. */
const lookAt = (
  settings: Settings,
  { headers: { "content-type": _, ...headers } }: Message,
  { approvalId }: ApprovalRequiredError,
): Look<Approval> => {
  const call: Call = {
    method: "GET",
    path: "/v1/agent-approvals/{approvalId}",
    pathParams: { approvalId },
  };
  return (options) =>
    requestPath(settings)(call, { ...options, headers, waitForApproval: false }, (body) =>
      // The contract says which object it is.
      typeof body === "object" && body !== null ? { value: body as Approval } : undefined,
    );
};
