import { printExchange } from "../debug/print-exchange.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import type { Middleware, Next } from "./middleware.js";
import type { Settings } from "./settings.js";

/** The first middleware is the outermost; the printing one the innermost, so that it shows what is really sent. */
export const compose = ({ middleware, debug }: Settings, carry: Next): Next => {
  const printing: Middleware[] = debug ? [(request, next) => printExchange(request, next, debug)] : [];
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
