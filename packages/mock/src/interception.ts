import type { RequestHandler } from "msw";
import type { SetupServer } from "msw/node";
import { requireMsw } from "./msw.js";

export type UnhandledRequestStrategy = "bypass" | "warn" | "error";

interface Listener {
  readonly handlers: readonly RequestHandler[];
  readonly onUnhandledRequest: UnhandledRequestStrategy | ((request: Request) => UnhandledRequestStrategy);
}

/**
 * MSW servers in the same process intercept each other's requests, and the first one to let a request through
 * decides what happens to it. Therefore all mocks share one server, which listens while at least one mock
 * does.
 */
const listeners = new Map<object, Listener>();
let server: SetupServer | undefined;

/** Handles requests of this process, until `release` is called with the same owner. */
export const intercept = (owner: object, listener: Listener): void => {
  const msw = requireMsw();
  listeners.set(owner, listener);
  if (server === undefined) {
    server = msw.setupServer();
    server.listen({ onUnhandledRequest: "bypass" });
  }
  useHandlers(server);
};

export const release = (owner: object): void => {
  if (!listeners.delete(owner) || server === undefined) return;
  if (listeners.size > 0) {
    useHandlers(server);
    return;
  }
  server.close();
  server = undefined;
};

/** Replaces the handlers without closing the server, because requests of other tests may be in progress. */
const useHandlers = (running: SetupServer): void => {
  const ofMocks = [...listeners.values()].flatMap(({ handlers }) => handlers);
  running.resetHandlers(
    ...ofMocks,
    requireMsw().http.all(/.*/, ({ request }) => judge(request)),
  );
};

/** Decides about a request that no mock handles. A handler can refuse it in every version of MSW; the callback for unhandled requests cannot. */
const judge = (request: Request): Response | undefined => {
  const strategy = strictest(request);
  if (strategy === "bypass") return undefined;
  const { origin, pathname } = new URL(request.url);
  const target = `${request.method} ${origin}${pathname}`;
  if (strategy === "error") {
    console.error(
      `[mock] No mock handles ${target}. It was not sent, because onUnhandledRequest is "error".`,
    );
    return Response.error();
  }
  console.warn(`[mock] No mock handles ${target}. It was sent to its host.`);
  return undefined;
};

/** Returns the strictest strategy that any mock has chosen for the request. */
const strictest = (request: Request): UnhandledRequestStrategy => {
  const chosen = [...listeners.values()].map(({ onUnhandledRequest: strategy }) =>
    typeof strategy === "function" ? strategy(request) : strategy,
  );
  return (
    chosen.find((strategy) => strategy === "error") ??
    chosen.find((strategy) => strategy === "warn") ??
    "bypass"
  );
};
