import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { closeSoon, finish } from "./close-socket.js";
import type { Upstream } from "./upstream.js";

/** Time that a client has to receive the last bytes after Postgres has closed the connection, in milliseconds. */
const lingerTimeoutMs = 30_000;

/** Returns the current delay of a link, in milliseconds. */
export type Latency = () => number;

/**
 * Passes bytes between a client and Postgres until both have closed. Each side receives no faster than the other side
 * takes it, and the end of one direction leaves the other one open. When one side has closed, the other one still receives
 * everything that was sent before.
 *
 * @param pending bytes of the client that Postgres has not received yet.
 * @param first bytes of Postgres that the client has not received yet.
 * @param latency delay for data from the client.
 */
export const connectStreams = (
  client: Socket,
  upstream: Upstream,
  { pending, first, latency }: { pending: Buffer; first: Buffer; latency: Latency },
): void => {
  const postgres = upstream.socket;
  forwardFromPostgres(client, upstream);
  forwardFromClient(client, postgres, latency);

  const whenClientCloses = (): void => {
    upstream.receive = () => true;
    postgres.resume();
    closeSoon(postgres, lingerTimeoutMs);
  };
  client.on("error", () => client.destroy());
  if (client.closed) whenClientCloses();
  else client.on("close", whenClientCloses);
  postgres.on("close", () => finish(client, { limit: lingerTimeoutMs }));

  client.write(first);
  if (pending.length > 0) client.unshift(pending);
  postgres.resume();
  client.resume();
};

const forwardFromClient = (client: Socket, postgres: Socket, latency: Latency): void => {
  /** Passes the bytes on that wait for the end of their delay. */
  let passDelayed: (() => void) | undefined;
  const pass = (bytes: Buffer): void => {
    if (!postgres.write(bytes)) client.pause();
  };
  client.on("data", (bytes: Buffer) => {
    if (!postgres.writable) return;
    const delay = latency();
    if (delay === 0) {
      pass(bytes);
      return;
    }
    client.pause();
    const timer = setTimeout(() => passDelayed?.(), delay);
    passDelayed = () => {
      clearTimeout(timer);
      passDelayed = undefined;
      client.resume();
      pass(bytes);
    };
  });
  client.on("end", () => postgres.end());
  for (const socket of [client, postgres]) socket.on("close", () => passDelayed?.());
  postgres.on("drain", () => {
    if (passDelayed === undefined) client.resume();
  });
};

const forwardFromPostgres = (client: Socket, upstream: Upstream): void => {
  const { socket } = upstream;
  if (client instanceof TLSSocket) {
    upstream.receive = (bytes) => client.write(Buffer.from(bytes));
    client.on("drain", () => socket.resume());
    return;
  }
  let isWaiting = false;
  const afterWrite = (): void => {
    if (!isWaiting || client.writableLength > 0) return;
    isWaiting = false;
    socket.resume();
  };
  upstream.receive = (bytes) => {
    client.write(bytes, afterWrite);
    // The system usually takes the bytes at once. Otherwise they must stay in the buffer until it has.
    isWaiting = client.writableLength > 0;
    return !isWaiting;
  };
};
