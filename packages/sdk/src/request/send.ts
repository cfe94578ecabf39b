import type { Attempt } from "../errors/attempt.js";
import { ConnectionError, describeInnermostCause } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import type { CallContext, Outcome } from "./context.js";
import type { Message } from "./encode.js";
import type { OutgoingRequest } from "../transport/middleware.js";
import { selectTransportSignal } from "#limit";
import { getObservedChannel } from "#trace-channels";
import { requireResponse } from "#type-checks";

/** Sends one request and reads the complete response. Returns a `ConnectionError` for an error of the transport; throws anything else. */
export const sendAttempt = async (
  { settings, attempts, limit }: CallContext,
  message: Message,
  pauseMs: number,
): Promise<Outcome> => {
  const { signal } = selectTransportSignal(limit);
  // The credential may have arrived after the deadline; nothing may be sent then.
  signal.throwIfAborted();
  const attempt: Attempt = { pauseMs };
  // First the new fields: V8 copies an object twenty times more slowly when fields are added to the copy.
  const request = { attempt: attempts.push(attempt), signal, ...message };
  const isObserved = settings.debug || settings.middleware[0] || getObservedChannel("attempt");
  const intercept = isObserved ? (await settings.load()).intercept : undefined;
  const start = performance.now();
  try {
    const response = intercept
      ? await intercept(settings, request, attempt)
      : requireResponse(await settings.transport.send(request));
    attempt.status = response.status;
    return response;
  } catch (cause) {
    const error = intercept ? cause : toConnectionError(request, cause);
    if (!(error instanceof ConnectionError)) throw error;
    attempt.reason = error.reason;
    return error;
  } finally {
    attempt.durationMs = performance.now() - start;
  }
};

/** Returns the error for an error of a transport. Errors of the SDK are returned unchanged. */
export const toConnectionError = (request: OutgoingRequest, cause: unknown): MgmtError => {
  if (cause instanceof MgmtError) return cause;
  const reason = describeInnermostCause(cause);
  return new ConnectionError(request, `got no complete response (${reason})`, { cause, reason });
};
