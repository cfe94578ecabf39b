import { ConnectionError } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import { loadOnDemand } from "../load-on-demand.js";
import type { Attempt } from "./attempt.js";
import type { Message } from "./encode.js";
import type { Next } from "./middleware.js";
import type { Outcome } from "./deliver.js";
import type { Settings } from "./settings.js";
import { trace } from "./trace.js";

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
  const number = attempts.push(attempt);
  const { method, path, url, headers, body } = message;
  const carry: Next = async (request) => {
    try {
      const answer = await settings.transport.send(request);
      if (!answer?.status || !("headers" in answer)) throw new TypeError("the transport gave none");
      return answer;
    } catch (cause) {
      if (cause instanceof MgmtError) throw cause;
      const reason = reasonOf(cause);
      throw new ConnectionError(request, `got no whole answer (${reason})`, { cause, reason });
    }
  };
  const isPlain = settings.middleware.length === 0 && !settings.debug;
  const next = isPlain ? carry : (await loadOnDemand()).compose(settings, carry);
  try {
    return await trace("attempt", { method, path, url, number, attempt }, async () => {
      const start = performance.now();
      try {
        const answer = await next({ method, path, url, headers, body, attempt: number, signal });
        attempt.status = answer.status;
        return answer;
      } finally {
        attempt.durationMs = performance.now() - start;
      }
    });
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    attempt.reason = error.reason;
    return error;
  }
};

/** `ECONNREFUSED` rather than "fetch failed": the innermost code says most. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown reason";
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
};
