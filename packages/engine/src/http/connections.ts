import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Handles one HTTP request of Node.js. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  readonly socket: Socket;
  /** Responses that have not been sent, oldest first. */
  readonly unsentResponses: ServerResponse[];
  /** Start the last requests, which wait for the earlier ones. */
  readonly waitingStarts: (() => void)[];
}

interface ConnectionLimits {
  /** Requests of one connection that are handled at a time. */
  readonly maxPipelined: number;
  /**
   * Milliseconds after which a connection is destroyed whose client does not read. It is noticed up to three times as late,
   * because all connections share one timer.
   */
  readonly sendTimeoutMs: number;
}

/**
 * Keeps track of the requests in progress on each connection of a server, and limits the cost of a client that sends requests and
 * does not read the responses. `node:http` stops reading requests when much has to be sent, but responses that are computed
 * asynchronously come too late for that.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #connectionBySocket = new Map<Duplex, Connection>();

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    server.on("connection", (socket: Socket) => this.#trackConnection(socket));
    server.on("timeout", (socket: Socket) => {
      // A slow request has nothing to send. Without requests, the keep-alive timeout is over.
      if (socket.writableLength > 0 || this.listUnsentResponses(socket).length === 0) socket.destroy();
    });
    server.once("listening", () => {
      const timer = setInterval(() => this.#startSendTimeouts(), limits.sendTimeoutMs).unref();
      server.once("close", () => clearInterval(timer));
    });
  }

  /** Returns a listener that passes requests on within the limits. All listeners that are returned share the limits. */
  withLimits(listener: Listener): Listener {
    return (request, response) => {
      const { socket } = request;
      const connection = this.#connectionBySocket.get(socket) ?? this.#trackConnection(socket);
      const { unsentResponses, waitingStarts } = connection;
      const runningRequestCount = unsentResponses.length - waitingStarts.length;
      unsentResponses.push(response);
      response.on("close", () => {
        unsentResponses.splice(unsentResponses.indexOf(response), 1);
        startNextRequest(connection);
      });
      if (runningRequestCount < this.#limits.maxPipelined) listener(request, response);
      else {
        waitingStarts.push(() => listener(request, response));
        socket.pause();
      }
    };
  }

  /** Returns the responses that have not been sent, oldest first. */
  listUnsentResponses(socket: Duplex): readonly ServerResponse[] {
    return this.#connectionBySocket.get(socket)?.unsentResponses ?? [];
  }

  #trackConnection(socket: Socket): Connection {
    const connection: Connection = { socket, unsentResponses: [], waitingStarts: [] };
    this.#connectionBySocket.set(socket, connection);
    socket.once("close", () => this.#connectionBySocket.delete(socket));
    // `node:http` resumes the socket when responses have been sent.
    socket.on("resume", () => {
      if (connection.waitingStarts.length > 0) socket.pause();
    });
    return connection;
  }

  /** Node.js starts the time again when the client reads. */
  #startSendTimeouts(): void {
    for (const { socket } of this.#connectionBySocket.values()) {
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(this.#limits.sendTimeoutMs);
    }
  }
}

const startNextRequest = ({ socket, waitingStarts }: Connection): void => {
  const start = waitingStarts.shift();
  if (start === undefined || socket.destroyed) return;
  // The body of the last one may not have been read.
  if (waitingStarts.length === 0) socket.resume();
  start();
};
