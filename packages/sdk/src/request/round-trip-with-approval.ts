import type { Attempt } from "../api-promise.js";
import { errorFrom } from "../errors/error-from.js";
import { isKind } from "../errors/mgmt-error.js";
import type { ApprovalRequiredError } from "../generated/errors.js";
import type { Approval } from "../generated/types.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Poll } from "../wait/wait-for.js";
import { waitForSponsor } from "../wait/waiters.js";
import type { Call } from "./call.js";
import type { Settings } from "./context.js";
import type { Message } from "./encode.js";
import { createRequest } from "./request.js";
import { roundTrip } from "./round-trip.js";

/**
 * Makes a round trip. When the response is a 403 `approval_required`, waits for the approval and makes a second one with the
 * same request. Each has its own deadline.
 */
export const roundTripWithApproval = async (
  settings: Settings,
  message: Message,
  signal: AbortSignal | undefined,
  attempts: Attempt[],
): Promise<TransportResponse> => {
  const response = await roundTrip(settings, message, signal, attempts);
  if (response.status !== 403) return response;
  const required = errorFrom(message, response);
  if (!isApprovalRequired(required) || !required.approvalId) return response;
  await waitForSponsor(
    required,
    pollFor(settings, message, required),
    settings.waitForApproval ?? {},
    signal,
  );
  return roundTrip(settings, message, signal, attempts);
};

const isApprovalRequired = (error: unknown): error is ApprovalRequiredError =>
  isKind(error, "approval_required");

/** Reads the approval with the message's own credential and headers, but without a body. */
const pollFor = (
  settings: Settings,
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
      // The contract says which object it is.
      typeof body === "object" && body !== null ? { value: body as Approval } : undefined,
    );
};
