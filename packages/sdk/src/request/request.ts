import { errorFrom } from "../errors/error-from.js";
import { TimeoutError } from "../errors/local-errors.js";
import { ApprovalRequiredError } from "../generated/errors.js";
import type { Approval } from "../generated/types.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Look } from "../wait/wait-for.js";
import { authorize, reauthorize } from "./authorize.js";
import type { Call, RequestOptions } from "./call.js";
import { readTimeout, withDeadline } from "./deadline.js";
import { decode } from "./decode.js";
import { type Message, encode } from "./encode.js";
import { send } from "./send.js";
import { readApprovalWait, type Settings } from "./settings.js";

/** Reads a value out of the body of a good answer; undefined says that the body is not what the contract says. */
export type Open<T> = (body: unknown, requestId: string | undefined) => T | undefined;

/** The one request path, bound to the settings of a client. */
export type RequestPath = <T>(call: Call, options: RequestOptions | undefined, open: Open<T>) => Promise<T>;

/** Encode → authorize → send → once more with another credential after a 401 → decode. */
export const requestPath =
  (settings: Settings): RequestPath =>
  async (call, options, open) => {
    const message = encode(settings, call, options);
    return decode(message, await exchange(settings, message, options), open);
  };

/**
 * The middle of it: from a written request to a whole answer of any status; after a wait for an approval, to that of the
 * same request sent once more. Each has its own deadline.
 */
export const exchange = async (
  settings: Settings,
  message: Message,
  options?: RequestOptions,
): Promise<TransportResponse> => {
  const wait = readApprovalWait(options?.waitForApproval, settings.waitForApproval);
  const answer = await attempt(settings, message, options);
  if (wait === undefined || answer.status !== 403) return answer;
  const required = errorFrom(message, answer);
  if (!(required instanceof ApprovalRequiredError) || !required.approvalId) return answer;
  const { waitForSponsor } = await import("../wait/waiters.js");
  await waitForSponsor(required, lookAt(settings, message, required), wait, options?.signal);
  return attempt(settings, message, options);
};

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
  return ({ signal }) =>
    requestPath(settings)(call, { signal, headers, waitForApproval: false }, (body) =>
      // The contract says which object it is.
      typeof body === "object" && body !== null ? (body as Approval) : undefined,
    );
};

/** One request and its answer, under one deadline. */
const attempt = (
  settings: Settings,
  message: Message,
  options?: RequestOptions,
): Promise<TransportResponse> => {
  const timeoutMs = options?.timeoutMs === undefined ? settings.timeoutMs : readTimeout(options.timeoutMs);
  const timedOut = (): TimeoutError => new TimeoutError(message, timeoutMs);
  return withDeadline({ signal: options?.signal, timeoutMs, timedOut }, async (signal) => {
    const { token, transport } = settings;
    const authorized = await authorize(message, token, { signal, timeoutMs });
    const answer = await send(transport, authorized, signal);
    // A 401 says that nothing was done: any method may be sent again.
    const renewed =
      answer.status === 401 && (await reauthorize(message, authorized, token, { signal, timeoutMs }));
    return renewed ? send(transport, renewed, signal) : answer;
  });
};
