import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { flushAndClose, endAndDrain } from "./close-socket.js";
import type { Upstream } from "./upstream.js";

/** Time that a client has to receive the last bytes after Postgres has closed the connection, in milliseconds. */
const flushTimeoutMs = 30_000;

/** Returns the current delay of a link, in milliseconds. */
export type GetLatency = () => number;

/**
 * Relays bytes between a client and Postgres until both have closed. Applies backpressure: a side is not read faster than the other side
 * accepts bytes. The end of one direction leaves the other one open. When one side has closed, the other one still receives everything that
 * was sent before.
 *
 * @param pendingBytes bytes of the client that Postgres has not received yet.
 * @param firstBytes bytes of Postgres that the client has not received yet.
 * @param getLatency returns the delay for data from the client.
 */
export const relayBytes = (
  client: Socket,
  upstream: Upstream,
  {
    pendingBytes,
    firstBytes,
    getLatency,
  }: { pendingBytes: Buffer; firstBytes: Buffer; getLatency: GetLatency },
): void => {
  const postgresSocket = upstream.socket;
  forwardFromPostgres(client, upstream);
  forwardFromClient(client, postgresSocket, getLatency);

  const onClientClose = (): void => {
    upstream.receive = () => true;
    postgresSocket.resume();
    flushAndClose(postgresSocket, flushTimeoutMs);
  };
  client.on("error", () => client.destroy());
  if (client.closed) onClientClose();
  else client.on("close", onClientClose);
  postgresSocket.on("close", () => endAndDrain(client, { timeoutMs: flushTimeoutMs }));

  client.write(firstBytes);
  if (pendingBytes.length > 0) client.unshift(pendingBytes);
  postgresSocket.resume();
  client.resume();
};

const forwardFromClient = (client: Socket, postgresSocket: Socket, getLatency: GetLatency): void => {
  /** Sends the delayed bytes now. Undefined when no bytes are delayed. */
  let flushDelayedBytes: (() => void) | undefined;
  const sendBytes = (bytes: Buffer): void => {
    if (!postgresSocket.write(bytes)) client.pause();
  };
  client.on("data", (bytes: Buffer) => {
    if (!postgresSocket.writable) return;
    const delay = getLatency();
    if (delay === 0) {
      sendBytes(bytes);
      return;
    }
    client.pause();
    const timer = setTimeout(() => flushDelayedBytes?.(), delay);
    flushDelayedBytes = () => {
      clearTimeout(timer);
      flushDelayedBytes = undefined;
      client.resume();
      sendBytes(bytes);
    };
  });
  client.on("end", () => postgresSocket.end());
  for (const socket of [client, postgresSocket]) socket.on("close", () => flushDelayedBytes?.());
  postgresSocket.on("drain", () => {
    if (flushDelayedBytes === undefined) client.resume();
  });
};

const forwardFromPostgres = (client: Socket, upstream: Upstream): void => {
  const { socket: postgresSocket } = upstream;
  if (client instanceof TLSSocket) {
    upstream.receive = (bytes) => client.write(Buffer.from(bytes));
    client.on("drain", () => postgresSocket.resume());
    return;
  }
  let isWriteBuffered = false;
  const resumeAfterWrite = (): void => {
    if (!isWriteBuffered || client.writableLength > 0) return;
    isWriteBuffered = false;
    postgresSocket.resume();
  };
  upstream.receive = (bytes) => {
    client.write(bytes, resumeAfterWrite);
    // The system usually accepts the bytes immediately. Otherwise the receive buffer, which they are in, must not be reused until it has.
    isWriteBuffered = client.writableLength > 0;
    return !isWriteBuffered;
  };
};
