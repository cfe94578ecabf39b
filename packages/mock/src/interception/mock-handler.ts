import type { RequestHandler } from "msw";
import { requireMsw } from "./msw.js";

export type UnhandledRequestStrategy = "bypass" | "warn" | "error";

/** A mock that handles requests of this process. */
export interface ListeningMock {
  /** Responds to a request for the mock. Returns undefined for a request to another host. */
  readonly respond: (request: Request) => Promise<Response> | undefined;
  /** Returns the handlers of the developer that may respond to a request to another host. */
  readonly listHandlers: (request: Request) => readonly RequestHandler[];
  /** How to handle a request that no handler responds to. Undefined leaves it to the server. */
  readonly onUnhandledRequest:
    | UnhandledRequestStrategy
    | ((request: Request) => UnhandledRequestStrategy)
    | undefined;
}

/**
 * The handler of an MSW server for all mocks that listen in it. It decides about every request while a mock listens, because a handler
 * can reject a request in every version of MSW; the callback for unhandled requests cannot.
 */
export class MockHandler {
  static readonly #mockHandlers = new WeakMap<object, MockHandler>();

  /** Returns whether a handler belongs to mocks. */
  static isMockHandler(this: void, handler: object): boolean {
    return MockHandler.#mockHandlers.has(handler);
  }

  /** Returns whether a handler belongs to mocks of which at least one listens. */
  static hasListeners(this: void, handler: object): boolean {
    return (MockHandler.#mockHandlers.get(handler)?.listeners.size ?? 0) > 0;
  }

  readonly listeners = new Map<object, ListeningMock>();
  readonly handler: RequestHandler = matchOnlyAnswered(
    requireMsw().http.all(/.*/, ({ request }) => this.#respond(request)),
  );
  readonly #listLaterHandlers: () => readonly RequestHandler[];

  /** @param listLaterHandlers returns the handlers of the server that come after this one. */
  constructor(listLaterHandlers: () => readonly RequestHandler[] = () => []) {
    this.#listLaterHandlers = listLaterHandlers;
    MockHandler.#mockHandlers.set(this.handler, this);
  }

  async #respond(request: Request): Promise<Response | undefined> {
    for (const { respond } of this.listeners.values()) {
      const response = respond(request);
      if (response) return await response;
    }
    const listeners = [...this.listeners.values()];
    if (listeners.every(({ onUnhandledRequest }) => onUnhandledRequest === undefined)) return undefined;
    const { getResponse, passthrough } = requireMsw();
    const handlers = [
      ...listeners.flatMap(({ listHandlers }) => listHandlers(request)),
      ...this.#listLaterHandlers(),
    ];
    const response = handlers.length > 0 ? await getResponse(handlers, request) : undefined;
    if (response) return response;
    // Otherwise, the server would run the handlers behind this one a second time.
    return applyStrictestStrategy(listeners, request) ? Response.error() : passthrough();
  }
}

/**
 * Makes a handler match only the requests that it responds to. Any other request that it matches would be sent to its host, whatever
 * the server does with requests that no handler matches.
 */
const matchOnlyAnswered = (handler: RequestHandler): RequestHandler => {
  const run = handler.run.bind(handler);
  handler.run = async (request) => {
    const handlerResult = await run(request);
    return handlerResult?.response ? handlerResult : null;
  };
  return handler;
};

/** Returns whether the strictest strategy rejects a request, and prints how the request is handled. */
const applyStrictestStrategy = (listeners: readonly ListeningMock[], request: Request): boolean => {
  const strategies = listeners.map(({ onUnhandledRequest: strategy }) =>
    typeof strategy === "function" ? strategy(request) : strategy,
  );
  const { origin, pathname } = new URL(request.url);
  const target = `${request.method} ${origin}${pathname}`;
  if (strategies.includes("error")) {
    console.error(
      `[mock] No mock handles ${target}. It was not sent, because onUnhandledRequest is "error".`,
    );
    return true;
  }
  if (strategies.includes("warn")) console.warn(`[mock] No mock handles ${target}. It was sent to its host.`);
  return false;
};
