import { type NetConnectOpts, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { cannotConnectNow } from "@mgmt/cluster/connection/login-rejected";
import { errorResponseType } from "./error-response.js";
import { rejections, parseSqlState } from "./rejection.js";

/** Where Postgres listens: a socket file, or a TCP port. */
export type PostgresAddress = { path: string } | { host: string; port: number };

/** A connection to Postgres. */
export interface Upstream {
  readonly socket: Socket;
  /**
   * Receives the bytes that Postgres sends. They are valid until the function returns true. It returns false to stop receiving until
   * `socket.resume()`.
   */
  receive: (bytes: Buffer) => boolean;
}

/** Size of the buffer of a connection. One buffer is used again for every read, which costs far less than a new one. */
const bufferSize = 65_536;

/** Time between two attempts to connect, in milliseconds. */
const connectRetryDelayMs = 25;

/** Codes of a write to a connection that the other side has closed. */
const closedByPeerCodes: ReadonlySet<string | undefined> = new Set(["EPIPE", "ECONNRESET"]);

type WriteCallback = (error?: Error | null) => void;

/**
 * A socket that still receives after the other side has closed the connection. A failed write would destroy it, with the bytes that it
 * has not received yet, such as the reason for which Postgres terminated a session. Reading finds the end of the connection, too.
 */
class DrainingSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    super._write(chunk, encoding, ignoreClosedByPeer(callback));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], callback: WriteCallback): void {
    super._writev?.(chunks, ignoreClosedByPeer(callback));
  }
}

const ignoreClosedByPeer =
  (callback: WriteCallback): WriteCallback =>
  (error) =>
    callback(closedByPeerCodes.has(readErrorCode(error)) ? null : error);

const openSocket = (address: PostgresAddress): Upstream => {
  const buffer = Buffer.allocUnsafe(bufferSize);
  const options: NetConnectOpts = {
    ...address,
    allowHalfOpen: true,
    noDelay: true,
    onread: { buffer, callback: (length) => upstream.receive(buffer.subarray(0, length)) },
  };
  const upstream: Upstream = { socket: new DrainingSocket(options).connect(options), receive: () => true };
  const close = (): void => void upstream.socket.destroy();
  // Postgres closes both directions together.
  upstream.socket.on("error", close).on("end", close);
  return upstream;
};

/** Opens a connection and sends bytes on it, without waiting for a response. */
export const connectAndSend = (address: PostgresAddress, bytes: Buffer): Upstream => {
  const upstream = openSocket(address);
  upstream.socket.write(bytes);
  return upstream;
};

/**
 * Connects to Postgres and sends a StartupMessage. Tries again while Postgres is not running, is starting or is shutting
 * down.
 *
 * @param timeoutMs time to keep trying, in milliseconds.
 * @returns the connection, which is paused, with the first bytes that Postgres has sent.
 * @throws Rejection when Postgres has not become available; the reason of the signal when it is aborted.
 */
export const connectToPostgres = async (
  address: PostgresAddress,
  startup: Buffer,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<{ upstream: Upstream; firstBytes: Buffer }> => {
  for (const deadline = performance.now() + timeoutMs; ;) {
    const connection = await tryToConnect(address, startup, signal);
    if (connection !== undefined) return connection;
    if (performance.now() >= deadline) throw rejections.restarting();
    await sleep(connectRetryDelayMs, undefined, { signal });
  }
};

/** Resolves with undefined when Postgres is not available at the moment. */
const tryToConnect = (
  address: PostgresAddress,
  startup: Buffer,
  signal: AbortSignal,
): Promise<{ upstream: Upstream; firstBytes: Buffer } | undefined> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const upstream = connectAndSend(address, startup);
    const { socket } = upstream;
    let firstBytes: Buffer = Buffer.alloc(0);
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    const resolveUnavailable = (): void => {
      signal.removeEventListener("abort", abort);
      socket.destroy();
      resolve(undefined);
    };
    signal.addEventListener("abort", abort, { once: true });
    socket.once("close", resolveUnavailable);
    upstream.receive = (bytes) => {
      firstBytes = Buffer.concat([firstBytes, bytes]);
      const isError = firstBytes[0] === errorResponseType;
      const isIncomplete =
        isError && firstBytes.length < bufferSize && parseSqlState(firstBytes) === undefined;
      if (isIncomplete) return true;
      if (isError && parseSqlState(firstBytes) === cannotConnectNow) {
        resolveUnavailable();
        return true;
      }
      signal.removeEventListener("abort", abort);
      socket.off("close", resolveUnavailable);
      resolve({ upstream, firstBytes });
      return false;
    };
  });
