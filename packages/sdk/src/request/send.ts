import type { Attempt } from "../api-promise.js";
import { ConnectionError, reasonOf } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import type { TransportResponse } from "../transport/transport.js";
import type { CallContext, Outcome } from "./context.js";
import type { Message } from "./encode.js";
import type { OutgoingRequest } from "./middleware.js";
import { channelOf } from "#trace-channels";

/**
 * Sends one request and reads the complete response. Returns a `ConnectionError` for what the transport throws; throws
 * anything else.
 */
export const send = async (
  { settings, attempts, signal }: CallContext,
  message: Message,
  pauseMs: number,
): Promise<Outcome> => {
  // The credential may have arrived after the deadline; nothing may be sent then.
  signal.throwIfAborted();
  const attempt: Attempt = { pauseMs };
  const request = { ...message, attempt: attempts.push(attempt), signal };
  const isPlain = settings.middleware.length === 0 && !settings.debug && !channelOf("attempt");
  const intercept = isPlain ? undefined : (await settings.load()).intercept;
  const start = performance.now();
  try {
    const response = intercept
      ? await intercept(settings, request, attempt)
      : assertResponse(await settings.transport.send(request));
    attempt.status = response.status;
    return response;
  } catch (cause) {
    const error = intercept ? cause : connectionErrorFrom(request, cause);
    if (!(error instanceof ConnectionError)) throw error;
    attempt.reason = error.reason;
    return error;
  } finally {
    attempt.durationMs = performance.now() - start;
  }
};

/** Throws when a custom transport returned something other than a response. */
export const assertResponse = (response: TransportResponse): TransportResponse => {
  if (!response?.status || !("headers" in response))
    throw new TypeError("the transport returned no response");
  return response;
};

/** The error for what a transport threw. Errors of the SDK are returned unchanged. */
export const connectionErrorFrom = (request: OutgoingRequest, cause: unknown): MgmtError => {
  if (cause instanceof MgmtError) return cause;
  const reason = reasonOf(cause);
  return new ConnectionError(request, `got no complete response (${reason})`, { cause, reason });
};
