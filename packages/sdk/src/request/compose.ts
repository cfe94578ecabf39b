import { printExchange } from "../debug/print-exchange.js";
import type { Middleware, Next } from "./middleware.js";
import type { Settings } from "./settings.js";

/** The first middleware is the outermost; the printing one the innermost, so that it shows what is really sent. */
export const compose = ({ middleware, debug }: Settings, carry: Next): Next => {
  const printing: Middleware[] =
    debug === false ? [] : [(request, next) => printExchange(request, next, debug)];
  return [...middleware, ...printing].reduceRight<Next>(
    (next, each) => async (request) => each(request, next),
    carry,
  );
};
