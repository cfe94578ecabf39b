import type { RequestHandler } from "msw";
import { isRequestHandler } from "../exchange/request-handlers.js";
import { assertNoneShadowed, listDeveloperHandlerNames } from "./developer-handlers.js";
import { SharedMswHandler, type InterceptingMock } from "./shared-msw-handler.js";
import type { MockError } from "../errors/mock-error.js";
import * as mockErrors from "../errors/mock-errors.js";
import { requireMsw } from "./msw.js";
import { closeServer, protectReceiver } from "./other-servers.js";
import { type ReceiverComparison, compareReceiver } from "./receiving-server.js";

/** The part of an MSW server that mocks use to listen in it. The declarations of `msw/node` need TypeScript 5.5. */
export interface MswServer {
  use(...handlers: RequestHandler[]): void;
  resetHandlers(...handlers: RequestHandler[]): void;
  listHandlers(): readonly object[];
  close(): void;
}

interface InterceptionPoint {
  readonly sharedHandler: SharedMswHandler;
  readonly server: MswServer;
}

/** All mocks without a server of the developer share one, which listens while at least one of them does. */
let sharedPoint: ReturnType<typeof createSharedPoint> | undefined;

/** The handlers in servers of the developer. They stay there, and do nothing while no mock listens. */
const sharedHandlerByServer = new WeakMap<MswServer, SharedMswHandler>();

/** Where each owner listens, and the error that its requests were not intercepted for some time. */
const pointsByOwner = new Map<object, InterceptionPoint & { interceptionError?: MockError }>();

/**
 * Handles requests of this process, until `stopInterception` is called with the same owner.
 *
 * @param bases the base URLs of the mock, without trailing slashes.
 * @param server the developer's MSW server. Default: the server of all mocks.
 * @throws MockError `mock:second_server` if another server receives the requests, or `mock:shadowed_handler`.
 */
export const startInterception = (
  owner: object,
  interceptingMock: InterceptingMock,
  { bases, server }: { bases: readonly string[]; server?: MswServer | undefined },
): void => {
  if (server && sharedPoint) throw mockErrors.mocksListen();
  const point = server ? { sharedHandler: installSharedHandler(server), server } : openSharedPoint();
  const interceptionError = pointsByOwner.get(owner)?.interceptionError;
  const { sharedHandler } = point;
  if (server) {
    assertNotReplaced(compareReceiver(server, sharedHandler.requestHandler));
    assertNoneShadowed(listHandlersAfter(server, sharedHandler.requestHandler), bases);
  }
  sharedHandler.interceptingMocks.set(owner, interceptingMock);
  pointsByOwner.set(owner, { ...point, ...(interceptionError && { interceptionError }) });
  protectReceiver();
};

/** Stops the interception. */
export const stopInterception = (owner: object): void => {
  const point = pointsByOwner.get(owner);
  if (!point) return;
  const { sharedHandler, server } = point;
  pointsByOwner.delete(owner);
  sharedHandler.interceptingMocks.delete(owner);
  if (sharedHandler === sharedPoint?.sharedHandler && sharedHandler.interceptingMocks.size === 0) {
    sharedPoint = undefined;
    // Closing this server would end the other one.
    if (compareReceiver(server, sharedHandler.requestHandler).kind !== "another")
      closeServer(sharedHandler.requestHandler, () => server.close());
  }
  protectReceiver();
};

/**
 * Returns the error that another server has taken over the requests since `startInterception`, even if it is closed by now; undefined if none
 * has. MSW before 2.13 cannot reject a server that listens, nor a request that is sent meanwhile.
 */
export const findReplacementError = (owner: object): MockError | undefined => {
  const point = pointsByOwner.get(owner);
  if (!point) return undefined;
  const receiver = compareReceiver(point.server, point.sharedHandler.requestHandler);
  // A developer closes the other servers as well.
  if (receiver.kind === "none" && point.sharedHandler === sharedPoint?.sharedHandler)
    return mockErrors.closedBySecondServer();
  return createReplacementError(receiver);
};

/** Returns the error that another server has taken over the requests at any time since `startInterception`; undefined if none has. */
export const findInterceptionError = (owner: object): MockError | undefined =>
  findReplacementError(owner) ?? pointsByOwner.get(owner)?.interceptionError;

/** Returns whether the server that an owner listens in receives the requests of this process. */
export const isReceiving = (owner: object): boolean => {
  const point = pointsByOwner.get(owner);
  return (
    point !== undefined && compareReceiver(point.server, point.sharedHandler.requestHandler).kind === "this"
  );
};

const createReplacementError = (receiver: ReceiverComparison): MockError | undefined => {
  if (receiver.kind !== "another") return undefined;
  return mockErrors.secondServer(listDeveloperHandlerNames(receiver.handlers));
};

const assertNotReplaced = (receiver: ReceiverComparison): void => {
  const error = createReplacementError(receiver);
  if (error) throw error;
};

const openSharedPoint = (): InterceptionPoint => {
  const isFirst = sharedPoint === undefined;
  const point = sharedPoint ?? createSharedPoint();
  const { sharedHandler, server } = point;
  const receiver = compareReceiver(isFirst ? undefined : server, sharedHandler.requestHandler);
  assertNotReplaced(receiver);
  if (receiver.kind === "none") {
    if (!isFirst) {
      // A server that listened in between has stopped the interception for all when it was closed.
      for (const otherPoint of pointsByOwner.values())
        if (otherPoint.sharedHandler === sharedHandler)
          otherPoint.interceptionError ??= mockErrors.closedBySecondServer();
      server.close();
    }
    server.listen({ onUnhandledRequest: "bypass" });
  }
  sharedPoint = point;
  return point;
};

const createSharedPoint = () => {
  const sharedHandler = new SharedMswHandler();
  return { sharedHandler, server: requireMsw().setupServer(sharedHandler.requestHandler) };
};

/** Adds the handler of the mocks before the handlers that the developer's server has, and after those that it gets later. */
const installSharedHandler = (server: MswServer): SharedMswHandler => {
  const existingHandler = sharedHandlerByServer.get(server);
  if (existingHandler) return existingHandler;
  const sharedHandler: SharedMswHandler = new SharedMswHandler(() =>
    listHandlersAfter(server, sharedHandler.requestHandler),
  );
  sharedHandlerByServer.set(server, sharedHandler);
  server.use(sharedHandler.requestHandler);
  const reset = server.resetHandlers.bind(server);
  // Tests reset the handlers after each test, also while others run at the same time.
  server.resetHandlers = (...handlers) => {
    reset(...handlers);
    server.use(sharedHandler.requestHandler);
  };
  const close = server.close.bind(server);
  server.close = () => closeServer(sharedHandler.requestHandler, close);
  return sharedHandler;
};

/** Prepares a server of the developer for mocks, so that handlers that it gets from now on override the handlers of the mocks. */
export const prepareServer = (server: MswServer): void => void installSharedHandler(server);

const listHandlersAfter = (server: MswServer, handler: RequestHandler): RequestHandler[] => {
  const handlers = server.listHandlers();
  return handlers.slice(handlers.indexOf(handler) + 1).filter(isRequestHandler);
};
