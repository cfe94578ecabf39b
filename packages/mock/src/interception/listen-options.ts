import type { RequestHandler } from "msw";
import { assertKnownOptions } from "@mgmt/engine/internal";
import { handlersDescription, areHandlers, assertHandlers } from "../exchange/request-handlers.js";
import type { UnhandledRequestStrategy } from "./shared-msw-handler.js";
import type { MswServer } from "./interception.js";

export interface ListenOptions {
  /**
   * How to handle requests to other hosts that no handler responds to, or a function that decides for each. Requests to the base URL are
   * always handled. Default: `bypass`; with `server`, the setting of that server.
   */
  onUnhandledRequest?:
    | UnhandledRequestStrategy
    | ((request: Request) => UnhandledRequestStrategy)
    | undefined;
  /**
   * Your own MSW server, to listen in it. You start and close it. The mock comes before the handlers that the server has, and after
   * those that `server.use()` adds later. Default: a server that all mocks share.
   */
  server?: MswServer | undefined;
  /** Your own handlers for requests to other hosts, or a function that returns those for a request. Default: none. */
  handlers?: readonly RequestHandler[] | ((request: Request) => readonly RequestHandler[]) | undefined;
}

const listenOptionNames: Record<keyof ListenOptions, true> = {
  onUnhandledRequest: true,
  server: true,
  handlers: true,
};

const strategies: readonly unknown[] = ["bypass", "warn", "error"] satisfies UnhandledRequestStrategy[];

/**
 * Checks the options, because JavaScript programs have no types. Returns them with functions that check what the functions of the
 * options return.
 *
 * @throws TypeError for an option that does not exist or is not valid.
 */
export const checkAndWrapListenOptions = (options: ListenOptions): ListenOptions => {
  if (!isObject(options)) {
    throw new TypeError('listen takes an object of options, such as { onUnhandledRequest: "error" }');
  }
  assertKnownOptions(options, Object.keys(listenOptionNames));
  const { server, handlers, onUnhandledRequest } = options;
  assertServer(server);
  if (typeof handlers !== "function") assertHandlers(handlers);
  if (
    onUnhandledRequest !== undefined &&
    typeof onUnhandledRequest !== "function" &&
    !strategies.includes(onUnhandledRequest)
  ) {
    throw new TypeError(
      'onUnhandledRequest must be "bypass", "warn", "error", or a function that takes a request and returns one of them',
    );
  }
  return {
    ...options,
    ...(typeof handlers === "function" && {
      handlers: (request) => {
        const returnedHandlers = handlers(request);
        if (!areHandlers(returnedHandlers))
          throw new TypeError(`The function handlers must return ${handlersDescription}`);
        return returnedHandlers;
      },
    }),
    ...(typeof onUnhandledRequest === "function" && {
      onUnhandledRequest: (request) => {
        const returnedStrategy = onUnhandledRequest(request);
        if (!strategies.includes(returnedStrategy))
          throw new TypeError('The function onUnhandledRequest must return "bypass", "warn", or "error"');
        return returnedStrategy;
      },
    }),
  };
};

/** @throws TypeError if the value is neither an MSW server nor undefined. */
export const assertServer = (server: unknown): void => {
  if (server === undefined || isServer(server)) return;
  throw new TypeError("server must be what setupServer() of msw/node returns");
};

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isServer = (server: unknown): boolean =>
  server instanceof Object &&
  ["use", "resetHandlers", "listHandlers", "close"].every(
    (name) => typeof Reflect.get(server, name) === "function",
  );
