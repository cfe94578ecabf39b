import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { flushAndClose, endAndDrain } from "./close-socket.js";
import type { Upstream } from "./upstream.js";

/** Time that a client has to receive the last bytes after Postgres has closed the connection, in milliseconds. */
const flushTimeoutMs = 30_000;

/** Returns the current delay of a link, in milliseconds. */
export type GetLatency = () => number;

/**
 * Passes bytes between a client and Postgres until both have closed. Each side receives no faster than the other side
 * takes it, and the end of one direction leaves the other one open. When one side has closed, the other one still receives
 * everything that was sent before.
 *
 * @param pendingBytes bytes of the client that Postgres has not received yet.
 * @param firstBytes bytes of Postgres that the client has not received yet.
 * @param getLatency returns the delay for data from the client.
 */
export const connectStreams = (
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
  /** Passes the bytes on that wait for the end of their delay. */
  let passDelayedBytes: (() => void) | undefined;
  const passBytes = (bytes: Buffer): void => {
    if (!postgresSocket.write(bytes)) client.pause();
  };
  client.on("data", (bytes: Buffer) => {
    if (!postgresSocket.writable) return;
    const delay = getLatency();
    if (delay === 0) {
      passBytes(bytes);
      return;
    }
    client.pause();
    const timer = setTimeout(() => passDelayedBytes?.(), delay);
    passDelayedBytes = () => {
      clearTimeout(timer);
      passDelayedBytes = undefined;
      client.resume();
      passBytes(bytes);
    };
  });
  client.on("end", () => postgresSocket.end());
  for (const socket of [client, postgresSocket]) socket.on("close", () => passDelayedBytes?.());
  postgresSocket.on("drain", () => {
    if (passDelayedBytes === undefined) client.resume();
  });
};

const forwardFromPostgres = (client: Socket, upstream: Upstream): void => {
  const { socket: postgresSocket } = upstream;
  if (client instanceof TLSSocket) {
    upstream.receive = (bytes) => client.write(Buffer.from(bytes));
    client.on("drain", () => postgresSocket.resume());
    return;
  }
  let isWaiting = false;
  const resumeAfterWrite = (): void => {
    if (!isWaiting || client.writableLength > 0) return;
    isWaiting = false;
    postgresSocket.resume();
  };
  upstream.receive = (bytes) => {
    client.write(bytes, resumeAfterWrite);
    // The system usually takes the bytes immediately. Otherwise they must stay in the buffer until it has.
    isWaiting = client.writableLength > 0;
    return !isWaiting;
  };
};
