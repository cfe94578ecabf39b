import * as mockErrors from "../errors/mock-errors.js";
import { listDeveloperHandlerNames } from "./developer-handlers.js";
import { SharedMswHandler } from "./shared-msw-handler.js";
import { requireMsw } from "./msw.js";
import { findReceivingHandlers } from "./receiving-server.js";

type FrameListener = (event: unknown) => unknown;

/** A source that passes intercepted requests to the server that listens: its methods, and its emitter, which MSW declares as protected. */
interface FrameSource {
  enable(): unknown;
  disable(): unknown;
  readonly emitter: {
    listeners(type: "frame"): readonly FrameListener[];
    removeAllListeners(): void;
    on(type: "frame", listener: FrameListener): void;
  };
}

const isFrameSource = (source: object): source is FrameSource => {
  const emitter = "emitter" in source ? source.emitter : undefined;
  const methods = ["listeners", "removeAllListeners", "on"];
  return (
    emitter instanceof Object && methods.every((name) => typeof Reflect.get(emitter, name) === "function")
  );
};

/** Returns the sources that all servers of this copy of MSW share. MSW before 2.13 has none. */
const listSharedSources = (): FrameSource[] => requireMsw().sources.filter(isFrameSource);

/** The listeners that pass requests to the server that a mock listens in, by source. Empty while there is none. */
const protectedListeners = new WeakMap<FrameSource, readonly FrameListener[]>();

/** The handler of the server that is closing itself. */
let closingHandler: object | undefined;

/**
 * Records which server receives the requests now. From then on, no other server of the same copy of MSW takes them over while a mock
 * listens, and no other one ends their interception. MSW before 2.13 has nothing to reject it with.
 */
export const protectReceiver = (): void => {
  for (const source of listSharedSources()) {
    if (!Object.hasOwn(source, "enable")) protectSource(source);
    saveListeners(source);
  }
};

/** Closes a server that has the handler of mocks. */
export const closeServer = (handler: object, close: () => void): void => {
  closingHandler = handler;
  try {
    close();
  } finally {
    closingHandler = undefined;
  }
};

const protectSource = (source: FrameSource): void => {
  const enable = source.enable.bind(source);
  const disable = source.disable.bind(source);
  source.enable = () => {
    const listeners = protectedListeners.get(source) ?? [];
    // The latest MSW has removed the listeners of the server that listened before; MSW 2.13 has not.
    if (listeners.length > 0) replaceListeners(source, source.emitter.listeners("frame").slice(-1));
    const handlers = findReceivingHandlers() ?? [];
    if (listeners.length > 0 && !handlers.some(SharedMswHandler.isIntercepting)) {
      replaceListeners(source, listeners);
      throw mockErrors.rejectedServer(listDeveloperHandlerNames(handlers));
    }
    const result = enable();
    saveListeners(source);
    return result;
  };
  source.disable = () => {
    // A server that was rejected does so when it is closed, also after the mock.
    const receivingHandler = findReceivingHandlers()?.find(SharedMswHandler.isSharedHandler);
    if (receivingHandler !== undefined && receivingHandler !== closingHandler) return undefined;
    const result = disable();
    saveListeners(source);
    return result;
  };
};

const saveListeners = (source: FrameSource): void => {
  const isMockReceiving = findReceivingHandlers()?.some(SharedMswHandler.isIntercepting) ?? false;
  protectedListeners.set(source, isMockReceiving ? [...source.emitter.listeners("frame")] : []);
};

const replaceListeners = ({ emitter }: FrameSource, listeners: readonly FrameListener[]): void => {
  emitter.removeAllListeners();
  for (const listener of listeners) emitter.on("frame", listener);
};
