import type { Socket } from "node:net";
import { type Server as TlsServer, createServer as createTlsServer } from "node:tls";
import { type FirstMessage, parseFirstMessage } from "./first-message.js";
import { rejections } from "./rejection.js";

/** A client after its encryption requests. The socket is paused. */
export interface HandshakeResult {
  /** The socket to talk to the client: the TLS socket for an encrypted connection. */
  socket: Socket;
  message: Extract<FirstMessage, { type: "startup" | "cancel" }>;
  /** The bytes that the client sent after the message. */
  bytesAfter: Buffer;
}

/** The certificate for TLS, and how long a client may take. */
export interface HandshakeOptions {
  /** PEM. */
  key: string;
  /** PEM. */
  cert: string;
  /** Time for a client to send its first message, in milliseconds, and the same again for a TLS handshake. */
  timeoutMs: number;
  onMessage: (client: HandshakeResult) => void;
  /** Called with the socket to respond on and the error. */
  onError: (socket: Socket, error: unknown) => void;
}

/** The protocol name for connections that start with TLS instead of an SSLRequest. */
const alpnProtocol = "postgresql";

/** Responses to an encryption request. */
const acceptEncryption = "S";
const rejectEncryption = "N";

/** First byte of a TLS handshake record. A startup message never starts with it, because it would be too long. */
const tlsHandshakeByte = 0x16;

/** Reads the first messages of clients, and terminates TLS. */
export class Handshake {
  readonly #options: HandshakeOptions;
  /** Never listen. They take over sockets after an SSLRequest, and sockets that start with TLS. */
  readonly #requestedTlsServer: TlsServer;
  readonly #directTlsServer: TlsServer;

  constructor(options: HandshakeOptions) {
    this.#options = options;
    const createServer = (): TlsServer =>
      createTlsServer({
        key: options.key,
        cert: options.cert,
        ALPNProtocols: [alpnProtocol],
        minVersion: "TLSv1.2",
        handshakeTimeout: options.timeoutMs,
        // The error belongs to a client that has not sent anything useful, and Node closes its socket.
      }).on("tlsClientError", (_error, socket) => socket.destroy());
    this.#requestedTlsServer = createServer().on("secureConnection", (socket) =>
      this.#readFirstMessage(socket, "encrypted"),
    );
    this.#directTlsServer = createServer().on("secureConnection", (socket) => {
      // Required against attacks that make a client of another protocol send its data here (ALPACA).
      if (socket.alpnProtocol === alpnProtocol) this.#readFirstMessage(socket, "encrypted");
      else socket.destroy();
    });
  }

  /** Starts with a new connection. */
  start(socket: Socket): void {
    this.#readFirstMessage(socket, "new");
  }

  #readFirstMessage(socket: Socket, state: "new" | "refused" | "encrypted"): void {
    let bytes: Buffer = Buffer.alloc(0);
    const deadline = setTimeout(() => socket.destroy(), this.#options.timeoutMs);
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
        if (state === "new" && bytes[0] === tlsHandshakeByte) {
          detach();
          socket.unshift(bytes);
          this.#directTlsServer.emit("connection", socket);
          return;
        }
        const parsedMessage = parseFirstMessage(bytes);
        if (parsedMessage === undefined) return;
        detach();
        this.#handleMessage(socket, state, parsedMessage.message, parsedMessage.bytesAfter);
      } catch (error) {
        detach();
        this.#options.onError(socket, isHttpRequest(bytes) ? rejections.http() : error);
      }
    };
    socket.on("error", () => socket.destroy());
    socket.on("data", onData).on("end", onEnd).on("close", detach);
    socket.resume();
  }

  #handleMessage(
    socket: Socket,
    state: "new" | "refused" | "encrypted",
    message: FirstMessage,
    bytesAfter: Buffer,
  ): void {
    if (message.type === "startup" || message.type === "cancel") {
      this.#options.onMessage({ socket, message, bytesAfter });
      return;
    }
    // Data after the request may come from an attacker in between, who wants it to be taken for encrypted data.
    if (bytesAfter.length > 0) throw rejections.unencryptedData();
    if (message.type === "gss") {
      if (state !== "new") throw rejections.repeatedRequest();
      socket.write(rejectEncryption);
      this.#readFirstMessage(socket, "refused");
    } else {
      if (state === "encrypted") throw rejections.repeatedRequest();
      socket.write(acceptEncryption);
      this.#requestedTlsServer.emit("connection", socket);
    }
  }
}

const isHttpRequest = (bytes: Buffer): boolean =>
  /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE|PRI) /.test(bytes.toString("latin1", 0, 8));
