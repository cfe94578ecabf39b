import { printExchange } from "../debug/print-exchange.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Attempt } from "./attempt.js";
import type { Middleware, Next, OutgoingRequest } from "./middleware.js";
import { connectionError, whole } from "./send.js";
import type { Settings } from "./settings.js";
import { trace } from "./trace.js";

/** Sends a request that somebody traces, prints or stands around. The attempt is whole when its trace ends. */
export const watch = (
  settings: Settings,
  request: OutgoingRequest,
  attempt: Attempt,
): Promise<TransportResponse> => {
  const { method, path, url, attempt: number } = request;
  return trace("attempt", { method, path, url, number, attempt }, async () => {
    const start = performance.now();
    try {
      const answer = await compose(settings)(request);
      attempt.status = answer.status;
      return answer;
    } finally {
      attempt.durationMs = performance.now() - start;
    }
  });
};

/** The first middleware is the outermost; the printing one the innermost, so that it shows what is really sent. */
const compose = ({ middleware, debug, transport }: Settings): Next => {
  const printing: Middleware[] = debug ? [(request, next) => printExchange(request, next, debug)] : [];
  const carry: Next = async (request) => {
    try {
      return whole(await transport.send(request));
    } catch (cause) {
      throw connectionError(request, cause);
    }
  };
  return [...middleware, ...printing].reduceRight<Next>(around, carry);
};

const around =
  (next: Next, middleware: Middleware): Next =>
  async (request) => {
    if (typeof middleware !== "function") throw broken("must be functions");
    const answer = await middleware(request, async (changed) => {
      if (!isObject(changed)) throw broken("must hand `next` a request");
      return next(changed);
    });
    if (!isObject(answer) || !isObject(answer.headers)) throw broken("must return an answer");
    return answer;
  };

// What a JavaScript program hands over may be anything.
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const broken = (problem: string): InvalidArgumentError =>
  new InvalidArgumentError("middleware", problem, {
    hint: "Return what `next(request)` answers, or { status, headers, body }. Whether a request was sent is unknown.",
  });
