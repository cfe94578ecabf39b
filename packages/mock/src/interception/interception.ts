import type { RequestHandler } from "msw";
import { isRequestHandler } from "../exchange/request-handlers.js";
import { assertNoneShadowed, listDeveloperHandlerNames } from "./developer-handlers.js";
import { MockHandler, type ListeningMock } from "./mock-handler.js";
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
  readonly mockHandler: MockHandler;
  readonly server: MswServer;
}

/** All mocks without a server of the developer share one, which listens while at least one of them does. */
let sharedPoint: ReturnType<typeof createSharedPoint> | undefined;

/** The handlers in servers of the developer. They stay there, and do nothing while no mock listens. */
const mockHandlers = new WeakMap<MswServer, MockHandler>();

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
  listeningMock: ListeningMock,
  { bases, server }: { bases: readonly string[]; server?: MswServer | undefined },
): void => {
  if (server && sharedPoint) throw mockErrors.mocksListen();
  const point = server ? { mockHandler: installMockHandler(server), server } : openSharedPoint();
  const interceptionError = pointsByOwner.get(owner)?.interceptionError;
  const { mockHandler } = point;
  if (server) {
    assertNotReplaced(compareReceiver(server, mockHandler.handler));
    assertNoneShadowed(listHandlersAfter(server, mockHandler.handler), bases);
  }
  mockHandler.listeners.set(owner, listeningMock);
  pointsByOwner.set(owner, { ...point, ...(interceptionError && { interceptionError }) });
  protectReceiver();
};

/** Stops the interception. */
export const stopInterception = (owner: object): void => {
  const point = pointsByOwner.get(owner);
  if (!point) return;
  const { mockHandler, server } = point;
  pointsByOwner.delete(owner);
  mockHandler.listeners.delete(owner);
  if (mockHandler === sharedPoint?.mockHandler && mockHandler.listeners.size === 0) {
    sharedPoint = undefined;
    // Closing this server would end the other one.
    if (compareReceiver(server, mockHandler.handler).kind !== "another")
      closeServer(mockHandler.handler, () => server.close());
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
  const receiver = compareReceiver(point.server, point.mockHandler.handler);
  // A developer closes the other servers as well.
  if (receiver.kind === "none" && point.mockHandler === sharedPoint?.mockHandler)
    return mockErrors.closedBySecondServer();
  return createReplacementError(receiver);
};

/** Returns the error that another server has taken over the requests at any time since `startInterception`; undefined if none has. */
export const findInterceptionError = (owner: object): MockError | undefined =>
  findReplacementError(owner) ?? pointsByOwner.get(owner)?.interceptionError;

/** Returns whether the server that an owner listens in receives the requests of this process. */
export const isReceiving = (owner: object): boolean => {
  const point = pointsByOwner.get(owner);
  return point !== undefined && compareReceiver(point.server, point.mockHandler.handler).kind === "this";
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
  const { mockHandler, server } = point;
  const receiver = compareReceiver(isFirst ? undefined : server, mockHandler.handler);
  assertNotReplaced(receiver);
  if (receiver.kind === "none") {
    if (!isFirst) {
      // A server that listened in between has stopped the interception for all when it was closed.
      for (const otherPoint of pointsByOwner.values())
        if (otherPoint.mockHandler === mockHandler)
          otherPoint.interceptionError ??= mockErrors.closedBySecondServer();
      server.close();
    }
    server.listen({ onUnhandledRequest: "bypass" });
  }
  sharedPoint = point;
  return point;
};

const createSharedPoint = () => {
  const mockHandler = new MockHandler();
  return { mockHandler, server: requireMsw().setupServer(mockHandler.handler) };
};

/** Adds the handler of the mocks before the handlers that the developer's server has, and after those that it gets later. */
const installMockHandler = (server: MswServer): MockHandler => {
  const existingHandler = mockHandlers.get(server);
  if (existingHandler) return existingHandler;
  const mockHandler: MockHandler = new MockHandler(() => listHandlersAfter(server, mockHandler.handler));
  mockHandlers.set(server, mockHandler);
  server.use(mockHandler.handler);
  const reset = server.resetHandlers.bind(server);
  // Tests reset the handlers after each test, also while others run at the same time.
  server.resetHandlers = (...handlers) => {
    reset(...handlers);
    server.use(mockHandler.handler);
  };
  const close = server.close.bind(server);
  server.close = () => closeServer(mockHandler.handler, close);
  return mockHandler;
};

/** Prepares a server of the developer for mocks, so that handlers that it gets from now on override the handlers of the mocks. */
export const prepareServer = (server: MswServer): void => void installMockHandler(server);

const listHandlersAfter = (server: MswServer, handler: RequestHandler): RequestHandler[] => {
  const handlers = server.listHandlers();
  return handlers.slice(handlers.indexOf(handler) + 1).filter(isRequestHandler);
};
