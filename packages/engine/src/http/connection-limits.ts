import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  /** Requests whose response has not been sent. */
  inProgress: number;
  /** Start the pipelined requests that came after them. */
  readonly waiting: (() => void)[];
}

interface Limits {
  /** Requests of one connection that are handled at a time. */
  readonly pipelined: number;
  /** Milliseconds after which a connection is destroyed whose client does not read. */
  readonly sendTimeout: number;
}

/**
 * Limits what a client costs that sends requests and does not read the responses. `node:http` stops reading requests when much
 * has to be sent, but responses that are computed asynchronously come too late for that.
 */
export class ConnectionLimits {
  readonly #limits: Limits;
  readonly #connections = new WeakMap<Socket, Connection>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Returns a listener that passes requests on within the limits. All listeners that are returned share the limits. */
  apply(listener: Listener): Listener {
    const { pipelined, sendTimeout } = this.#limits;
    return (request, response) => {
      const { socket } = request;
      const connection = this.#connectionOf(socket);
      // The time starts again when the client reads. It also ends while a slow request is handled, which has nothing to send.
      response.setTimeout(sendTimeout, () => {
        if (socket.writableLength > 0) socket.destroy();
      });
      const start = (): void => {
        connection.inProgress += 1;
        response.once("close", () => {
          connection.inProgress -= 1;
          startNext(socket, connection);
        });
        listener(request, response);
      };
      if (connection.inProgress < pipelined) start();
      else {
        connection.waiting.push(start);
        socket.pause();
      }
    };
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection: Connection = { inProgress: 0, waiting: [] };
    this.#connections.set(socket, connection);
    // `node:http` resumes the socket when responses have been sent.
    socket.on("resume", () => {
      if (connection.waiting.length > 0) socket.pause();
    });
    return connection;
  }
}

const startNext = (socket: Socket, { waiting }: Connection): void => {
  const start = waiting.shift();
  if (start === undefined || socket.destroyed) return;
  // The body of the last one may not have been read.
  if (waiting.length === 0) socket.resume();
  start();
};
