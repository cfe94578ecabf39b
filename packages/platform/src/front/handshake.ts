import type { Socket } from "node:net";
import { type Server as TlsServer, createServer as createTlsServer } from "node:tls";
import { type FirstMessage, parseFirstMessage } from "./first-message.js";
import { refusals } from "./refusal.js";

/** A client after its encryption requests. The socket is paused. */
export interface Greeted {
  /** The socket to talk to the client: the TLS socket for an encrypted connection. */
  socket: Socket;
  message: Extract<FirstMessage, { type: "startup" | "cancel" }>;
  /** The bytes that the client sent after the message. */
  rest: Buffer;
}

export interface HandshakeOptions {
  /** PEM. */
  key: string;
  /** PEM. */
  cert: string;
  /** Time for a client to send its first message, in milliseconds, and the same again for a TLS handshake. */
  timeout: number;
  onGreeted: (greeted: Greeted) => void;
  /** Called with the socket to respond on and the error. */
  onError: (socket: Socket, error: unknown) => void;
}

/** The protocol name for connections that start with TLS instead of an SSLRequest. */
const alpnProtocol = "postgresql";

/** First byte of a TLS handshake record. A startup message never starts with it, because it would be too long. */
const tlsHandshake = 0x16;

/** Reads the first messages of clients, and terminates TLS. */
export class Handshake {
  readonly #options: HandshakeOptions;
  /** Never listen. They take over sockets after an SSLRequest, and sockets that start with TLS. */
  readonly #requestedTls: TlsServer;
  readonly #directTls: TlsServer;

  constructor(options: HandshakeOptions) {
    this.#options = options;
    const tlsServer = (): TlsServer =>
      createTlsServer({
        key: options.key,
        cert: options.cert,
        ALPNProtocols: [alpnProtocol],
        minVersion: "TLSv1.2",
        handshakeTimeout: options.timeout,
        // The error belongs to a client that has not sent anything useful, and Node closes its socket.
      }).on("tlsClientError", (_error, socket) => socket.destroy());
    this.#requestedTls = tlsServer().on("secureConnection", (socket) => this.#read(socket, "encrypted"));
    this.#directTls = tlsServer().on("secureConnection", (socket) => {
      // Required against attacks that make a client of another protocol send its data here (ALPACA).
      if (socket.alpnProtocol === alpnProtocol) this.#read(socket, "encrypted");
      else socket.destroy();
    });
  }

  /** Starts with a new connection. */
  greet(socket: Socket): void {
    this.#read(socket, "new");
  }

  #read(socket: Socket, state: "new" | "refused" | "encrypted"): void {
    let bytes: Buffer = Buffer.alloc(0);
    const deadline = setTimeout(() => socket.destroy(), this.#options.timeout);
    const detach = (): void => {
      clearTimeout(deadline);
      socket.off("data", onData).off("end", onEnd).off("close", detach);
      socket.pause();
    };
    const onEnd = (): void => {
      detach();
      socket.destroy();
    };
    const onData = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      try {
        if (state === "new" && bytes[0] === tlsHandshake) {
          detach();
          socket.unshift(bytes);
          this.#directTls.emit("connection", socket);
          return;
        }
        const parsed = parseFirstMessage(bytes);
        if (parsed === undefined) return;
        detach();
        this.#continue(socket, state, parsed.message, parsed.rest);
      } catch (error) {
        detach();
        this.#options.onError(socket, isHttp(bytes) ? refusals.http() : error);
      }
    };
    socket.on("error", () => socket.destroy());
    socket.on("data", onData).on("end", onEnd).on("close", detach);
    socket.resume();
  }

  #continue(
    socket: Socket,
    state: "new" | "refused" | "encrypted",
    message: FirstMessage,
    rest: Buffer,
  ): void {
    if (message.type === "startup" || message.type === "cancel") {
      this.#options.onGreeted({ socket, message, rest });
      return;
    }
    // Data after the request may come from an attacker in between, who wants it to be taken for encrypted data.
    if (rest.length > 0) throw refusals.unencryptedData();
    if (message.type === "gss") {
      if (state !== "new") throw refusals.repeatedRequest();
      socket.write("N");
      this.#read(socket, "refused");
    } else {
      if (state === "encrypted") throw refusals.repeatedRequest();
      socket.write("S");
      this.#requestedTls.emit("connection", socket);
    }
  }
}

const isHttp = (bytes: Buffer): boolean =>
  /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE|PRI) /.test(bytes.toString("latin1", 0, 8));
