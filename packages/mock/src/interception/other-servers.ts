import * as mockErrors from "../errors/mock-errors.js";
import { namesOf } from "./developer-handlers.js";
import { Gate } from "./gate.js";
import { requireMsw } from "./msw.js";
import { receivingHandlers } from "./receiving-server.js";

type Listener = (event: unknown) => unknown;

/** What passes intercepted requests to the server that listens: its methods, and its emitter, which MSW declares as protected. */
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

/** Whether a mock listens in the server that has these handlers. */
const haveMock = (handlers: readonly object[] = []): boolean => handlers.some(Gate.isListening);

/**
 * Lets no other server of the same copy of MSW take over the requests from a server that a mock listens in, until `allowOthers`. MSW
 * before 2.13 has nothing to refuse it with.
 */
export const refuseOthers = (): void => {
  allowOthers();
  for (const source of sharedSources()) {
    const enable = source.enable.bind(source);
    const disable = source.disable.bind(source);
    let current = haveMock(receivingHandlers()) ? [...source.emitter.listeners("frame")] : [];
    source.enable = () => {
      // The latest MSW has removed those of the server that listened before; MSW 2.13 has not.
      listenWith(source, source.emitter.listeners("frame").slice(-1));
      const handlers = receivingHandlers();
      if (current.length > 0 && !haveMock(handlers)) {
        listenWith(source, current);
        throw mockErrors.refusedServer(namesOf(handlers ?? []));
      }
      const result = enable();
      current = haveMock(handlers) ? [...source.emitter.listeners("frame")] : [];
      return result;
    };
    source.disable = () => {
      // A server that was refused does so when it is closed.
      if (!haveMock(receivingHandlers())) return disable();
    };
  }
};

const listenWith = ({ emitter }: Source, listeners: readonly Listener[]): void => {
  emitter.removeAllListeners();
  for (const each of listeners) emitter.on("frame", each);
};

/** Lets other servers listen, and the one that receives the requests be closed. */
export const allowOthers = (): void => {
  for (const source of sharedSources()) {
    // Those of the class are visible again.
    Reflect.deleteProperty(source, "enable");
    Reflect.deleteProperty(source, "disable");
  }
};
