import { ConnectionError } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import { loadOnDemand } from "../load-on-demand.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Attempt } from "./attempt.js";
import type { Message } from "./encode.js";
import type { OutgoingRequest } from "./middleware.js";
import type { Outcome } from "./deliver.js";
import type { Settings } from "./settings.js";
import { reasonOf } from "./reason-of.js";
import { isTraced } from "./trace.js";

/**
 * Sends a request through the middleware and reads the whole answer. What the transport throws becomes the cause of a
 * `ConnectionError`, which is answered.
 */
export const send = async (
  settings: Settings,
  message: Message,
  signal: AbortSignal,
  attempts: Attempt[],
  pauseMs: number,
): Promise<Outcome> => {
  // The credential may have come after the deadline; then nothing may be sent any more.
  signal.throwIfAborted();
  const attempt: Attempt = { pauseMs };
  const { method, path, url, headers, body } = message;
  const request = { method, path, url, headers, body, attempt: attempts.push(attempt), signal };
  const isPlain = settings.middleware.length === 0 && !settings.debug && !isTraced("attempt");
  const watch = isPlain ? undefined : (await loadOnDemand()).watch;
  const start = performance.now();
  try {
    const answer = watch
      ? await watch(settings, request, attempt)
      : whole(await settings.transport.send(request));
    attempt.status = answer.status;
    return answer;
  } catch (cause) {
    const error = watch ? cause : connectionError(request, cause);
    if (!(error instanceof ConnectionError)) throw error;
    attempt.reason = error.reason;
    return error;
  } finally {
    attempt.durationMs = performance.now() - start;
  }
};

/** Throws where a transport of the user's own answers nothing. */
export const whole = (answer: TransportResponse): TransportResponse => {
  if (!answer?.status || !("headers" in answer)) throw new TypeError("the transport gave none");
  return answer;
};

/** The error for what a transport threw; one of ours stays as it is. */
export const connectionError = (request: OutgoingRequest, cause: unknown): MgmtError => {
  if (cause instanceof MgmtError) return cause;
  const reason = reasonOf(cause);
  return new ConnectionError(request, `got no whole answer (${reason})`, { cause, reason });
};
