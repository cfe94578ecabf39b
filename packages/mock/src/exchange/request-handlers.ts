import type { RequestHandler } from "msw";

/** Returns whether a handler responds to requests, as opposed to WebSocket connections. */
export const isRequestHandler = (handler: object): handler is RequestHandler =>
  "run" in handler && typeof handler.run === "function";

/** @throws TypeError if the value is neither an array of handlers nor undefined. */
export const assertHandlers = (handlers: unknown): void => {
  if (handlers !== undefined && !areHandlers(handlers))
    throw new TypeError(`handlers must be ${handlersDescription}`);
};

/** The required form of `handlers`, for messages. */
export const handlersDescription = "an array of request handlers of MSW, such as [http.get(url, resolver)]";

/** Returns whether a value is an array of request handlers of MSW. */
export const areHandlers = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((handler: unknown) => handler instanceof Object && isRequestHandler(handler));
