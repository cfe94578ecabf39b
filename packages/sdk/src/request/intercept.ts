import type { Attempt } from "../errors/attempt.js";
import { printRequest } from "../debug/print-request.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import type { TransportResponse } from "../transport/transport.js";
import type { ClientSettings } from "./context.js";
import type { Middleware, Next, OutgoingRequest } from "../transport/middleware.js";
import { toConnectionError } from "./send.js";
import { getObservedChannel } from "#trace-channels";
import { requireResponse } from "#type-checks";
import type { TracedName } from "./trace-channels.js";
import type { AttemptTrace, CallTrace } from "./traces.js";

/** Sends a request through tracing, middleware and debug output. `attempt` is complete when its trace ends. */
export const intercept = (
  settings: ClientSettings,
  request: OutgoingRequest,
  attempt: Attempt,
): Promise<TransportResponse> => {
  const { method, path, url, attempt: number } = request;
  return trace("attempt", { method, path, url, number, attempt }, async () => {
    const start = performance.now();
    try {
      const response = await composeMiddleware(settings)(request);
      attempt.status = response.status;
      return response;
    } finally {
      attempt.durationMs = performance.now() - start;
    }
  });
};

/** Publishes the start, end and failure of `callback` to subscribers; never its result, which may be a secret. */
export const trace = <T>(
  name: TracedName,
  context: CallTrace | AttemptTrace,
  callback: () => Promise<T>,
): Promise<T> => {
  const channel = getObservedChannel(name);
  if (!channel) return callback();
  let callbackResult: T;
  return channel
    .tracePromise(() => callback().then((value) => void (callbackResult = value)), context)
    .then(() => callbackResult);
};

/**
 * Returns a function that sends a request through all middleware, of which the first is the outermost. Debug output is the innermost, so
 * that it shows the requests as they are sent.
 */
const composeMiddleware = ({ middleware, debug, transport }: ClientSettings): Next => {
  const debugMiddleware: Middleware[] = debug ? [(request, next) => printRequest(request, next, debug)] : [];
  const sendByTransport: Next = async (request) => {
    try {
      return requireResponse(await transport.send(request));
    } catch (cause) {
      throw toConnectionError(request, cause);
    }
  };
  return [...middleware, ...debugMiddleware].reduceRight<Next>(wrapWithMiddleware, sendByTransport);
};

const wrapWithMiddleware =
  (next: Next, middleware: Middleware): Next =>
  async (request) => {
    if (typeof middleware !== "function") throw invalidMiddlewareError("must be functions");
    const response = await middleware(request, async (changedRequest) => {
      if (!isObject(changedRequest)) throw invalidMiddlewareError("must pass a request to `next`");
      return next(changedRequest);
    });
    if (!isObject(response) || !isObject(response.headers)) {
      throw invalidMiddlewareError("must return a response");
    }
    return response;
  };

// A JavaScript program may pass anything.
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const invalidMiddlewareError = (problem: string): InvalidArgumentError =>
  new InvalidArgumentError("middleware", problem, {
    hint: "Return the result of `next(request)`, or { status, headers, body }. Whether a request was sent is unknown.",
  });
