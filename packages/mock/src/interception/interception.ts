import type { RequestHandler } from "msw";
import { isRequestHandler } from "../exchange/request-handlers.js";
import { assertNoneShadowed, namesOfOtherHandlers } from "./developer-handlers.js";
import { Gate, type GateListener } from "./gate.js";
import type { MockError } from "../errors/mock-error.js";
import * as mockErrors from "../errors/mock-errors.js";
import { requireMsw } from "./msw.js";
import { closeServer, protectReceiver } from "./other-servers.js";
import { type Receiver, receiverOf } from "./receiving-server.js";

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
let ownPoint: ReturnType<typeof createOwnPoint> | undefined;

/** The gates in servers of the developer. They stay there, and do nothing while no mock listens. */
const gates = new WeakMap<MswServer, Gate>();

/** Where each owner listens, and the error that its requests were not intercepted for some time. */
const pointsByOwner = new Map<object, InterceptionPoint & { lost?: MockError }>();

/**
 * Handles requests of this process, until `release` is called with the same owner.
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
  if (server && ownPoint) throw mockErrors.mocksListen();
  const place = server ? { gate: installGate(server), server } : openOwnPoint();
  const lost = pointsByOwner.get(owner)?.lost;
  const { gate } = place;
  if (server) {
    assertNotReplaced(receiverOf(server, gate.handler));
    assertNoneShadowed(handlersBehind(server, gate.handler), bases);
  }
  gate.listeners.set(owner, listener);
  pointsByOwner.set(owner, { ...place, ...(lost && { lost }) });
  protectReceiver();
};

/** Ends the interception. */
export const stopInterception = (owner: object): void => {
  const place = pointsByOwner.get(owner);
  if (!place) return;
  const { gate, server } = place;
  pointsByOwner.delete(owner);
  gate.listeners.delete(owner);
  if (gate === ownPoint?.gate && gate.listeners.size === 0) {
    ownPoint = undefined;
    // Closing this server would end the other one.
    if (receiverOf(server, gate.handler).kind !== "another") closeServer(gate.handler, () => server.close());
  }
  protectReceiver();
};

/**
 * Returns the error that another server has taken over the requests since `intercept`, even if it is closed by now; undefined if none
 * has. MSW before 2.13 cannot refuse a server that listens, nor a request that is sent meanwhile.
 */
export const replacementErrorOf = (owner: object): MockError | undefined => {
  const place = pointsByOwner.get(owner);
  if (!place) return undefined;
  const receiver = receiverOf(place.server, place.gate.handler);
  // A developer closes the other servers as well.
  if (receiver.kind === "none" && place.gate === ownPoint?.gate) return mockErrors.closedBySecondServer();
  return replacementErrorFor(receiver);
};

/** Returns the error that another server has taken over the requests at any time since `intercept`; undefined if none has. */
export const interceptionErrorOf = (owner: object): MockError | undefined =>
  replacementErrorOf(owner) ?? pointsByOwner.get(owner)?.lost;

/** Whether the server that an owner listens in receives the requests of this process. */
export const isReceiving = (owner: object): boolean => {
  const place = pointsByOwner.get(owner);
  return place !== undefined && receiverOf(place.server, place.gate.handler).kind === "this";
};

const replacementErrorFor = (receiver: Receiver): MockError | undefined => {
  if (receiver.kind !== "another") return undefined;
  return mockErrors.secondServer(namesOfOtherHandlers(receiver.handlers));
};

const assertNotReplaced = (receiver: Receiver): void => {
  const error = replacementErrorFor(receiver);
  if (error) throw error;
};

const openOwnPoint = (): InterceptionPoint => {
  const isFirst = ownPoint === undefined;
  const place = ownPoint ?? createOwnPoint();
  const { gate, server } = place;
  const receiver = receiverOf(isFirst ? undefined : server, gate.handler);
  assertNotReplaced(receiver);
  if (receiver.kind === "none") {
    if (!isFirst) {
      // A server that listened in between has ended the interception for all when it was closed.
      for (const place of pointsByOwner.values())
        if (place.gate === gate) place.lost ??= mockErrors.closedBySecondServer();
      server.close();
    }
    server.listen({ onUnhandledRequest: "bypass" });
  }
  ownPoint = place;
  return place;
};

const createOwnPoint = () => {
  const gate = new Gate();
  return { gate, server: requireMsw().setupServer(gate.handler) };
};

/** Adds the gate before the handlers that the developer's server has, and after those that it gets later. */
const installGate = (server: MswServer): Gate => {
  const existingGate = gates.get(server);
  if (existingGate) return existingGate;
  const gate: Gate = new Gate(() => handlersBehind(server, gate.handler));
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
export const installGateIn = (server: MswServer): void => void installGate(server);

const handlersBehind = (server: MswServer, gate: RequestHandler): RequestHandler[] => {
  const handlers = server.listHandlers();
  return handlers.slice(handlers.indexOf(gate) + 1).filter(isRequestHandler);
};
