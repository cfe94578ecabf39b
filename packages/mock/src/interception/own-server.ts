import type { MockError } from "../errors/mock-error.js";
import * as mockErrors from "../errors/mock-errors.js";
import { namesOf } from "./developer-handlers.js";
import { Gate } from "./gate.js";
import { requireMsw } from "./msw.js";
import { type Receiver, receiverOf } from "./receiving-server.js";

/**
 * The server of all mocks without one of the developer. While it listens, another server of the same copy of MSW cannot: it would receive
 * the requests in its place. MSW before 2.13 has nothing to refuse it with.
 */
export class OwnServer {
  readonly gate = new Gate();
  readonly server = requireMsw().setupServer(this.gate.handler);

  #hasListened = false;

  /** Which server receives the requests of this process. */
  get receiver(): Receiver {
    return receiverOf(this.#hasListened ? this.server : undefined, this.gate.handler);
  }

  listen(): void {
    this.#hasListened = true;
    this.server.listen({ onUnhandledRequest: "bypass" });
    for (const source of requireMsw().sources) {
      Object.assign(source, {
        enable: () => {
          throw this.#refuse();
        },
        // A server that was refused does so when it is closed.
        disable: () => undefined,
      });
    }
  }

  /** Listens after another server has ended the interception of both. */
  listenAgain(): void {
    this.allowOthers();
    this.server.close();
    this.listen();
  }

  /** Lets other servers listen. */
  allowOthers(): void {
    for (const source of requireMsw().sources) {
      // Those of the class are visible again.
      Reflect.deleteProperty(source, "enable");
      Reflect.deleteProperty(source, "disable");
    }
  }

  /** Refuses the server that is about to receive the requests. */
  #refuse(): MockError {
    const { receiver } = this;
    // MSW has removed what passes the requests to this server.
    this.listenAgain();
    return mockErrors.refusedServer(receiver.kind === "another" ? namesOf(receiver.handlers) : []);
  }
}
