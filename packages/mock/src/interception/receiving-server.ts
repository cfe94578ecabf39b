import type { RequestHandler } from "msw";
import { requireMsw } from "./msw.js";

/**
 * Whether an MSW server receives the requests of this process, another one does, or none. If two listen, then the newer one receives all
 * of them since MSW 2.13, and the older one receives them first in earlier versions.
 */
export type ReceiverComparison =
  | { readonly kind: "none" | "this" }
  /** `handlers` are the handlers of the other server, as far as this version of MSW reports them. */
  | { readonly kind: "another"; readonly handlers: readonly object[] };

const noReceiver: ReceiverComparison = { kind: "none" };
const thisReceiver: ReceiverComparison = { kind: "this" };

/**
 * Returns whether the server that has a handler receives the requests of this process, another one does, or none.
 *
 * @param server the server with the handler; undefined before it was created.
 */
export const compareReceiver = (server: object | undefined, handler: RequestHandler): ReceiverComparison => {
  const handlers = findReceivingHandlers();
  if (handlers) return handlers.includes(handler) ? thisReceiver : { kind: "another", handlers };
  const interceptor = findRunningInterceptor();
  if (interceptor === undefined) return noReceiver;
  // The handlers of servers of this copy of MSW are found above since 2.13, so that the interceptor belongs to another copy. A server
  // that exists is taken for one of that copy: the developer's.
  const belongsToServer =
    server !== undefined &&
    (requireMsw().sources.length > 0 || ("interceptor" in server && server.interceptor === interceptor));
  return belongsToServer ? thisReceiver : { kind: "another", handlers: [] };
};

/** Returns the handlers of the server that receives requests; undefined if none listens, or if this version of MSW does not report them. */
export const findReceivingHandlers = (): readonly object[] | undefined => {
  let handlers: readonly object[] | undefined;
  // A placeholder for a request. The server looks for a handler of it, and finds that none applies.
  const frame = {
    events: { on: () => undefined },
    getHandlers: (controller: { currentHandlers(): readonly object[] }): [] => {
      handlers = controller.currentHandlers();
      return [];
    },
    resolve: () => Promise.resolve(null),
  };
  for (const source of requireMsw().sources) {
    if ("queue" in source && typeof source.queue === "function") {
      Reflect.apply(source.queue, source, [frame]);
    }
  }
  return handlers;
};

/** The names under which versions 2 of MSW keep the interceptor that is running in a global variable. */
const interceptorNames = ["setup-server", "interceptor-source"];

const findRunningInterceptor = (): unknown => {
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (!interceptorNames.includes(symbol.description ?? "")) continue;
    const instance: unknown = Reflect.get(globalThis, symbol);
    if (instance !== undefined) return instance;
  }
  return undefined;
};
