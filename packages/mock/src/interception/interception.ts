import type { RequestHandler } from "msw";
import { isRequestHandler } from "../exchange/request-handlers.js";
import { assertNoneShadowed, listDeveloperHandlerNames } from "./developer-handlers.js";
import { Gate, type GateListener } from "./gate.js";
import type { MockError } from "../errors/mock-error.js";
import * as mockErrors from "../errors/mock-errors.js";
import { requireMsw } from "./msw.js";
import { closeServer, protectReceiver } from "./other-servers.js";
import { type Receiver, findReceiver } from "./receiving-server.js";

/** The part of an MSW server that mocks use to listen in it. The declarations of `msw/node` need TypeScript 5.5. */
export interface MswServer {
  use(...handlers: RequestHandler[]): void;
  resetHandlers(...handlers: RequestHandler[]): void;
  listHandlers(): readonly object[];
  close(): void;
}

interface InterceptionPoint {
  readonly gate: Gate;
  readonly server: MswServer;
}

/** All mocks without a server of the developer share one, which listens while at least one of them does. */
let sharedPoint: ReturnType<typeof createSharedPoint> | undefined;

/** The gates in servers of the developer. They stay there, and do nothing while no mock listens. */
const gates = new WeakMap<MswServer, Gate>();

/** Where each owner listens, and the error that its requests were not intercepted for some time. */
const pointsByOwner = new Map<object, InterceptionPoint & { interceptionError?: MockError }>();

/**
 * Handles requests of this process, until `stopInterception` is called with the same owner.
 *
 * @param bases of the mock, without trailing slashes.
 * @param server of the developer. Default: the server of all mocks.
 * @throws MockError `mock:second_server` if another server receives the requests, or `mock:shadowed_handler`.
 */
export const startInterception = (
  owner: object,
  listener: GateListener,
  { bases, server }: { bases: readonly string[]; server?: MswServer | undefined },
): void => {
  if (server && sharedPoint) throw mockErrors.mocksListen();
  const point = server ? { gate: installGate(server), server } : openSharedPoint();
  const interceptionError = pointsByOwner.get(owner)?.interceptionError;
  const { gate } = point;
  if (server) {
    assertNotReplaced(findReceiver(server, gate.handler));
    assertNoneShadowed(listHandlersBehind(server, gate.handler), bases);
  }
  gate.listeners.set(owner, listener);
  pointsByOwner.set(owner, { ...point, ...(interceptionError && { interceptionError }) });
  protectReceiver();
};

/** Ends the interception. */
export const stopInterception = (owner: object): void => {
  const point = pointsByOwner.get(owner);
  if (!point) return;
  const { gate, server } = point;
  pointsByOwner.delete(owner);
  gate.listeners.delete(owner);
  if (gate === sharedPoint?.gate && gate.listeners.size === 0) {
    sharedPoint = undefined;
    // Closing this server would end the other one.
    if (findReceiver(server, gate.handler).kind !== "another")
      closeServer(gate.handler, () => server.close());
  }
  protectReceiver();
};

/**
 * Returns the error that another server has taken over the requests since `startInterception`, even if it is closed by now; undefined if none
 * has. MSW before 2.13 cannot refuse a server that listens, nor a request that is sent meanwhile.
 */
export const findReplacementError = (owner: object): MockError | undefined => {
  const point = pointsByOwner.get(owner);
  if (!point) return undefined;
  const receiver = findReceiver(point.server, point.gate.handler);
  // A developer closes the other servers as well.
  if (receiver.kind === "none" && point.gate === sharedPoint?.gate) return mockErrors.closedBySecondServer();
  return createReplacementError(receiver);
};

/** Returns the error that another server has taken over the requests at any time since `startInterception`; undefined if none has. */
export const findInterceptionError = (owner: object): MockError | undefined =>
  findReplacementError(owner) ?? pointsByOwner.get(owner)?.interceptionError;

/** Whether the server that an owner listens in receives the requests of this process. */
export const isReceiving = (owner: object): boolean => {
  const point = pointsByOwner.get(owner);
  return point !== undefined && findReceiver(point.server, point.gate.handler).kind === "this";
};

const createReplacementError = (receiver: Receiver): MockError | undefined => {
  if (receiver.kind !== "another") return undefined;
  return mockErrors.secondServer(listDeveloperHandlerNames(receiver.handlers));
};

const assertNotReplaced = (receiver: Receiver): void => {
  const error = createReplacementError(receiver);
  if (error) throw error;
};

const openSharedPoint = (): InterceptionPoint => {
  const isFirst = sharedPoint === undefined;
  const point = sharedPoint ?? createSharedPoint();
  const { gate, server } = point;
  const receiver = findReceiver(isFirst ? undefined : server, gate.handler);
  assertNotReplaced(receiver);
  if (receiver.kind === "none") {
    if (!isFirst) {
      // A server that listened in between has ended the interception for all when it was closed.
      for (const otherPoint of pointsByOwner.values())
        if (otherPoint.gate === gate) otherPoint.interceptionError ??= mockErrors.closedBySecondServer();
      server.close();
    }
    server.listen({ onUnhandledRequest: "bypass" });
  }
  sharedPoint = point;
  return point;
};

const createSharedPoint = () => {
  const gate = new Gate();
  return { gate, server: requireMsw().setupServer(gate.handler) };
};

/** Adds the gate before the handlers that the developer's server has, and after those that it gets later. */
const installGate = (server: MswServer): Gate => {
  const existingGate = gates.get(server);
  if (existingGate) return existingGate;
  const gate: Gate = new Gate(() => listHandlersBehind(server, gate.handler));
  gates.set(server, gate);
  server.use(gate.handler);
  const reset = server.resetHandlers.bind(server);
  // Tests reset the handlers after each test, also while others run at the same time.
  server.resetHandlers = (...handlers) => {
    reset(...handlers);
    server.use(gate.handler);
  };
  const close = server.close.bind(server);
  server.close = () => closeServer(gate.handler, close);
  return gate;
};

/** Prepares a server of the developer for mocks, so that handlers that it gets from now on override those of the mocks. */
export const prepareServer = (server: MswServer): void => void installGate(server);

const listHandlersBehind = (server: MswServer, gate: RequestHandler): RequestHandler[] => {
  const handlers = server.listHandlers();
  return handlers.slice(handlers.indexOf(gate) + 1).filter(isRequestHandler);
};
