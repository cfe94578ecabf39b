import * as mockErrors from "../errors/mock-errors.js";
import { namesOf } from "./developer-handlers.js";
import { Gate } from "./gate.js";
import { requireMsw } from "./msw.js";
import { receivingHandlers } from "./receiving-server.js";

type Listener = (event: unknown) => unknown;

/** A source that passes intercepted requests to the server that listens: its methods, and its emitter, which MSW declares as protected. */
interface Source {
  enable(): unknown;
  disable(): unknown;
  readonly emitter: {
    listeners(type: "frame"): readonly Listener[];
    removeAllListeners(): void;
    on(type: "frame", listener: Listener): void;
  };
}

const isSource = (source: object): source is Source => {
  const emitter = "emitter" in source ? source.emitter : undefined;
  const methods = ["listeners", "removeAllListeners", "on"];
  return (
    emitter instanceof Object && methods.every((name) => typeof Reflect.get(emitter, name) === "function")
  );
};

/** Returns the sources that all servers of this copy of MSW share. MSW before 2.13 has none. */
const sharedSources = (): Source[] => requireMsw().sources.filter(isSource);

/** The listeners that pass requests to the server that a mock listens in, by source. Empty while there is none. */
const setAside = new WeakMap<Source, readonly Listener[]>();

/** The handler of the server that is closing itself. */
let closing: object | undefined;

/**
 * Remembers which server receives the requests now. From then on, no other server of the same copy of MSW takes them over while a mock
 * listens, and no other one ends their interception. MSW before 2.13 has nothing to refuse it with.
 */
export const protectReceiver = (): void => {
  for (const source of sharedSources()) {
    if (!Object.hasOwn(source, "enable")) protect(source);
    remember(source);
  }
};

/** Closes a server that has the handler of a gate. */
export const closeServer = (handler: object, close: () => void): void => {
  closing = handler;
  try {
    close();
  } finally {
    closing = undefined;
  }
};

const protect = (source: Source): void => {
  const enable = source.enable.bind(source);
  const disable = source.disable.bind(source);
  source.enable = () => {
    const listeners = setAside.get(source) ?? [];
    // The latest MSW has removed those of the server that listened before; MSW 2.13 has not.
    if (listeners.length > 0) listenWith(source, source.emitter.listeners("frame").slice(-1));
    const handlers = receivingHandlers() ?? [];
    if (listeners.length > 0 && !handlers.some(Gate.isListening)) {
      listenWith(source, listeners);
      throw mockErrors.refusedServer(namesOf(handlers));
    }
    const result = enable();
    remember(source);
    return result;
  };
  source.disable = () => {
    // A server that was refused does so when it is closed, also after the mock.
    const receiver = receivingHandlers()?.find(Gate.has);
    if (receiver !== undefined && receiver !== closing) return undefined;
    const result = disable();
    remember(source);
    return result;
  };
};

const remember = (source: Source): void => {
  const isUsed = receivingHandlers()?.some(Gate.isListening) ?? false;
  setAside.set(source, isUsed ? [...source.emitter.listeners("frame")] : []);
};

const listenWith = ({ emitter }: Source, listeners: readonly Listener[]): void => {
  emitter.removeAllListeners();
  for (const listener of listeners) emitter.on("frame", listener);
};
