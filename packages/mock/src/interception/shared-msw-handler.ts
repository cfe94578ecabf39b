import type { RequestHandler } from "msw";
import { requireMsw } from "./msw.js";

export type UnhandledRequestStrategy = "bypass" | "warn" | "error";

/** A mock that handles requests of this process. */
export interface InterceptingMock {
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
 * The handler of an MSW server for all mocks that listen in it. It decides every request while a mock listens, because a handler
 * can reject a request in every version of MSW; the callback for unhandled requests cannot.
 */
export class SharedMswHandler {
  static readonly #instanceByRequestHandler = new WeakMap<object, SharedMswHandler>();

  /** Returns whether a handler of a server is the one that mocks share. */
  static isSharedHandler(this: void, requestHandler: object): boolean {
    return SharedMswHandler.#instanceByRequestHandler.has(requestHandler);
  }

  /** Returns whether a handler of a server is the one that mocks share, and at least one of them intercepts requests. */
  static isIntercepting(this: void, requestHandler: object): boolean {
    return (SharedMswHandler.#instanceByRequestHandler.get(requestHandler)?.interceptingMocks.size ?? 0) > 0;
  }

  readonly interceptingMocks = new Map<object, InterceptingMock>();
  readonly requestHandler: RequestHandler = matchOnlyIfAnswered(
    requireMsw().http.all(/.*/, ({ request }) => this.#respond(request)),
  );
  readonly #listHandlersAfter: () => readonly RequestHandler[];

  /** @param listHandlersAfter returns the handlers of the server that come after this one. */
  constructor(listHandlersAfter: () => readonly RequestHandler[] = () => []) {
    this.#listHandlersAfter = listHandlersAfter;
    SharedMswHandler.#instanceByRequestHandler.set(this.requestHandler, this);
  }

  async #respond(request: Request): Promise<Response | undefined> {
    for (const { respond } of this.interceptingMocks.values()) {
      const response = respond(request);
      if (response) return await response;
    }
    const mocks = [...this.interceptingMocks.values()];
    if (mocks.every(({ onUnhandledRequest }) => onUnhandledRequest === undefined)) return undefined;
    const { getResponse, passthrough } = requireMsw();
    const handlers = [
      ...mocks.flatMap(({ listHandlers }) => listHandlers(request)),
      ...this.#listHandlersAfter(),
    ];
    const response = handlers.length > 0 ? await getResponse(handlers, request) : undefined;
    if (response) return response;
    // This handler responds itself. If it passed the request on, MSW would run the handlers behind it a second time.
    const strategy = findStrictestStrategy(mocks, request);
    reportUnhandled(strategy, request);
    return strategy === "error" ? Response.error() : passthrough();
  }
}

/**
 * Makes a handler match only the requests that it responds to. Any other request that it matches would be sent to its host, whatever
 * the server does with requests that no handler matches.
 */
const matchOnlyIfAnswered = (handler: RequestHandler): RequestHandler => {
  const run = handler.run.bind(handler);
  handler.run = async (request) => {
    const handlerResult = await run(request);
    return handlerResult?.response ? handlerResult : null;
  };
  return handler;
};

const findStrictestStrategy = (
  mocks: readonly InterceptingMock[],
  request: Request,
): UnhandledRequestStrategy => {
  const strategies = mocks.map(({ onUnhandledRequest: strategy }) =>
    typeof strategy === "function" ? strategy(request) : strategy,
  );
  if (strategies.includes("error")) return "error";
  return strategies.includes("warn") ? "warn" : "bypass";
};

const reportUnhandled = (strategy: UnhandledRequestStrategy, request: Request): void => {
  const { origin, pathname } = new URL(request.url);
  const target = `${request.method} ${origin}${pathname}`;
  if (strategy === "error") {
    console.error(
      `[mock] No mock handles ${target}. It was not sent, because onUnhandledRequest is "error".`,
    );
  }
  if (strategy === "warn") console.warn(`[mock] No mock handles ${target}. It was sent to its host.`);
};
