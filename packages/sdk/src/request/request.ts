import { ApiPromise, type ApiResponse } from "../api-promise.js";
import { MgmtError, isKind } from "../errors/mgmt-error.js";
import type { ApprovalRequiredError } from "../generated/errors.js";
import type { Approval } from "../generated/types.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Look } from "../wait/wait-for.js";
import type { Attempt } from "./attempt.js";
import type { Call, RequestOptions } from "./call.js";
import { decode, loadErrors } from "./decode.js";
import { deliver } from "./deliver.js";
import { type Message, encode } from "./encode.js";
import { type Settings, settingsOf } from "./settings.js";
import { trace } from "./trace.js";

/** Reads the value out of the body of a good answer; undefined says that the body is not what the contract says. */
export type Open<T> = (body: unknown, requestId: string | undefined) => { value: T } | undefined;

/** The one request path, bound to the settings of a client. `site` has the stack of who called. */
export type RequestPath = <T>(
  call: Call,
  options: RequestOptions | undefined,
  open: Open<T>,
  site?: Error,
) => ApiPromise<T>;

/** Encode → deliver (authorize, send, retry) → decode. */
export const requestPath =
  (client: Settings): RequestPath =>
  (call, options, open, site = new Error()) =>
    new ApiPromise(
      follow(call, site, async (attempts) => {
        const settings = settingsOf(client, options);
        const message = encode(settings, call, options);
        const answer = await exchange(settings, message, options?.signal, attempts);
        return { data: await decode(message, answer, open), response: responseOf(answer, attempts) };
      }),
    );

/** Traces a call, and lets its error say what was tried and where the call was made. */
export const follow = async <T>(
  { method, path }: { method: string; path: string },
  site: Error,
  work: (attempts: Attempt[]) => Promise<T>,
): Promise<T> => {
  const attempts: Attempt[] = [];
  try {
    return await trace("call", { method, path, attempts }, () => work(attempts));
  } catch (error) {
    if (error instanceof MgmtError) {
      if (attempts.length > 0) error.attempts ??= attempts;
      const frames = site.stack?.indexOf("\n    at ") ?? -1;
      if (frames >= 0) error.stack = `${String(error)}${site.stack?.slice(frames)}`;
    }
    throw error;
  }
};

/**
 * From a written request to a whole answer of any status; after a wait for an approval, to that of the same request sent
 * once more. Each has its own deadline.
 */
export const exchange = async (
  settings: Settings,
  message: Message,
  signal: AbortSignal | undefined,
  attempts: Attempt[],
): Promise<TransportResponse> => {
  const wait = settings.waitForApproval;
  const answer = await deliver(settings, message, signal, attempts);
  if (wait === undefined || answer.status !== 403) return answer;
  const required = (await loadErrors()).errorFrom(message, answer);
  if (!isApprovalRequired(required) || !required.approvalId) return answer;
  const { waitForSponsor } = await import("../wait/waiters.js");
  await waitForSponsor(required, lookAt(settings, message, required), wait, signal);
  return deliver(settings, message, signal, attempts);
};

const isApprovalRequired = (error: unknown): error is ApprovalRequiredError =>
  isKind(error, "approval_required");

const responseOf = ({ status, headers }: TransportResponse, attempts: Attempt[]): ApiResponse => ({
  status,
  headers,
  requestId: headers["x-request-id"],
  attempts,
});

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
