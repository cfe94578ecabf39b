import { once } from "node:events";
import { type Socket, connect } from "node:net";

/** Encodes a StartupMessage, or another first message with its own version. */
export const firstMessage = (
  parameters: readonly (readonly [name: string, value: string])[],
  version = 0x0003_0000,
): Buffer => {
  const content = Buffer.from(`${parameters.map(([name, value]) => `${name}\0${value}\0`).join("")}\0`);
  return request(version, content);
};

/** Encodes a first message of any content. */
export const request = (version: number, content = Buffer.alloc(0)): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length, 0);
  header.writeUInt32BE(version, 4);
  return Buffer.concat([header, content]);
};

export const sslRequest = request(80_877_103);
export const gssRequest = request(80_877_104);

/** A client that sends raw bytes. */
export class RawClient {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  readonly #onData = (bytes: Buffer): void => {
    this.#received = Buffer.concat([this.#received, bytes]);
  };
  /** Resolves with everything that the server sent when it has closed the connection. */
  readonly closed: Promise<Buffer>;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", this.#onData);
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => socket.on("close", () => resolve(this.#received)));
  }

  static async connect(port: number, host = "127.0.0.1"): Promise<RawClient> {
    const client = new RawClient(connect({ port, host }));
    await once(client.socket, "connect");
    return client;
  }

  send(bytes: Buffer | string): this {
    this.socket.write(bytes);
    return this;
  }

  /** Stops collecting, and returns the socket. */
  detach(): Socket {
    return this.socket.off("data", this.#onData);
  }

  /** Waits until the server has sent a number of bytes, and returns them. */
  async receive(length: number): Promise<Buffer> {
    while (this.#received.length < length) await once(this.socket, "data");
    return this.#received;
  }
}

/** The fields of an ErrorResponse by type; undefined for other bytes. */
export const errorFields = (bytes: Buffer): Record<string, string> | undefined => {
  if (bytes[0] !== "E".charCodeAt(0)) return undefined;
  const fields = bytes.toString("utf8", 5).split("\0").filter(Boolean);
  return Object.fromEntries(fields.map((field) => [field.slice(0, 1), field.slice(1)]));
};
