import type { Attempt } from "../errors/attempt.js";
import { createApiError } from "../request/error-from.js";
import { hasErrorKind } from "../errors/mgmt-error.js";
import type { ApprovalRequiredError } from "../errors/generated/errors.js";
import type { Approval } from "../generated/types.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Poll } from "./wait-for.js";
import { waitForSponsor } from "./waiters.js";
import type { Call } from "../request/call.js";
import type { ClientSettings } from "../request/context.js";
import type { Message } from "../request/encode.js";
import { createRequest } from "../request/request.js";
import { roundTrip } from "../request/round-trip.js";

/**
 * Makes a round trip. When the response is a 403 `approval_required`, waits for the approval and makes a second one with the
 * same request. Each has its own deadline.
 */
export const roundTripWithApproval = async (
  settings: ClientSettings,
  message: Message,
  attempts: Attempt[],
): Promise<TransportResponse> => {
  const response = await roundTrip(settings, message, attempts);
  if (response.status !== 403) return response;
  const approvalError = createApiError(message, response);
  if (!isApprovalRequiredError(approvalError) || !approvalError.approvalId) return response;
  await waitForSponsor(
    approvalError,
    createApprovalPoll(settings, message, approvalError),
    settings.waitForApproval || {},
    settings,
  );
  return roundTrip(settings, message, attempts);
};

const isApprovalRequiredError = (error: unknown): error is ApprovalRequiredError =>
  hasErrorKind(error, "approval_required");

/** Reads the approval with the message's own credential and headers, but without a body. */
const createApprovalPoll = (
  settings: ClientSettings,
  { headers: { "content-type": _, ...headers } }: Message,
  { approvalId }: ApprovalRequiredError,
): Poll<Approval> => {
  const call: Call = {
    method: "GET",
    path: "/v1/agent-approvals/{approvalId}",
    pathParams: { approvalId },
  };
  return (options) =>
    createRequest(settings)(call, { ...options, headers, waitForApproval: false }, (body) =>
      // The contract defines the type of the object; only that it is one is checked.
      typeof body === "object" && body !== null ? { value: body as Approval } : undefined,
    );
};
